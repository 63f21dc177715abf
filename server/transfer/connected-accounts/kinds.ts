/** All kinds of connected accounts. */

import type { AccountKind } from './account'
import { calDavKind } from './caldav/caldav'
import { icsKind } from './ics/ics'
import { imapKind } from './imap/imap'

// The settings of a row are those of its kind.
const KINDS: readonly AccountKind[] = [imapKind as AccountKind, calDavKind as AccountKind, icsKind as AccountKind]

export function kindOf(name: string): AccountKind {
  const kind = KINDS.find((each) => each.kind === name)
  if (kind === undefined) throw new Error(`Accounts of the kind ${name} are unknown.`)
  return kind
}
