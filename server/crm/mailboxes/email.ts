/** An email as the service stores it: its metadata, never its content. */

export const PARTICIPANT_ROLES = ['from', 'reply-to', 'to', 'cc', 'bcc'] as const
export type ParticipantRole = (typeof PARTICIPANT_ROLES)[number]

/** The address is normalised. */
export type Participant = readonly [role: ParticipantRole, address: string, name: string | null]

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
  readonly participants: readonly Participant[]
}
