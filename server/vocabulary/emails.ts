/** The roles of participants of emails. */

export const PARTICIPANT_ROLES = ['from', 'reply-to', 'to', 'cc', 'bcc'] as const
export type ParticipantRole = (typeof PARTICIPANT_ROLES)[number]
