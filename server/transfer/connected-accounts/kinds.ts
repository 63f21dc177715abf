/** All kinds of connected accounts. */

import type { AccountKind } from './account'
import { icsKind } from './ics/ics'
import { imapKind } from './imap/imap'

const KINDS: readonly AccountKind[] = [imapKind as AccountKind, icsKind as AccountKind] // the settings of a row are those of its kind

export function kindOf(name: string): AccountKind {
  const kind = KINDS.find((each) => each.kind === name)
  if (kind === undefined) throw new Error(`Accounts of the kind ${name} are unknown.`)
  return kind
}
