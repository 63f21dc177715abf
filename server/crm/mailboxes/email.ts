/** An email as the service stores it: its metadata. `email-texts.ts` has the texts. */

import { parseMailHostName } from '#engine/attribute-types/formats/host-names'
import type { ParticipantRole } from '#vocabulary/emails'

/** The address is normalised. */
export type EmailParticipant = readonly [role: ParticipantRole, address: string, name: string | null]

export type Direction = 'inbound' | 'outbound'

export interface StoredEmail {
  readonly id: string
  readonly mailboxId: string
  /** The member whose mailbox it is. */
  readonly memberId: string
  /** As PostgreSQL prints it. */
  readonly sentAt: string
  readonly direction: Direction
  readonly subjectLine: string | null
  readonly participants: readonly EmailParticipant[]
  /** Whether the viewer can read a text or names of attachments; false where a list does not look for them. */
  readonly hasText: boolean
}

// Email addresses in the headers of messages. They include addresses that no attribute accepts, such as `root@localhost`.

/** The limits of RFC 5321: 64 characters, the sign and 255 characters. */
const MAX_LENGTH = 320
const NOT_IN_ADDRESS = /[\s<>,;:"()[\]\\\p{Cc}]/u

/** In lower case, with the host in ASCII, as the values of attributes are. Undefined for a text that is no address. */
export function normaliseAddress(text: string): string | undefined {
  const trimmed = text.length > 2 * MAX_LENGTH ? '' : text.trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 1 || at === trimmed.length - 1 || trimmed.length > MAX_LENGTH || NOT_IN_ADDRESS.test(trimmed))
    return undefined
  const host = parseMailHostName(trimmed.slice(at + 1))?.host ?? trimmed.slice(at + 1).toLowerCase()
  return `${trimmed.slice(0, at).toLowerCase()}@${host}`
}

/** The beginnings of addresses that programs send from. */
const AUTOMATED =
  /^(?:no-?_?reply|do-?_?not-?_?reply|mailer-daemon|postmaster|bounces?|notifications?|notify|alerts?)(?:$|[-+._@])/

/** Whether a program sends from a normalised address, by its local part. */
export const isAutomated = (address: string): boolean => AUTOMATED.test(address)

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The domain of an address, and its registrable domain if that is another one. */
export function domainsOf(address: string): readonly string[] {
  const domain = domainOf(address)
  const root = parseMailHostName(domain)?.root
  return root === undefined || root === domain ? [domain] : [domain, root]
}
