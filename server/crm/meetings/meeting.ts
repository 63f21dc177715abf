/** A meeting as the service stores it. */

/** An instant in milliseconds since 1970. */
export type Millis = number

/**
 * When a meeting is. An all-day meeting has the beginnings of its first date and of the date after its last one in UTC, and
 * no time zones.
 */
export interface MeetingTimes {
  readonly isAllDay: boolean
  readonly startsAt: Millis
  /** Exclusive, after `startsAt`. */
  readonly endsAt: Millis
  /** IANA names; null for times without a time zone. */
  readonly startTimezone: string | null
  readonly endTimezone: string | null
}

export const PARTICIPANT_STATUSES = ['accepted', 'tentative', 'declined', 'pending'] as const
export type ParticipantStatus = (typeof PARTICIPANT_STATUSES)[number]

export interface Participant {
  /** Normalised, once in a meeting; null for a participant with a name only. */
  readonly emailAddress: string | null
  readonly name: string | null
  readonly isOrganizer: boolean
  readonly status: ParticipantStatus
}

/** A record that a meeting is linked to. */
export interface MeetingLink {
  readonly objectId: string
  readonly recordId: string
  /** False for a record that was matched by a participant. */
  readonly isGiven: boolean
}

/** How much the member of a connected calendar shares, from everything to nothing. */
export type MeetingSharing = 'everything' | 'exchange' | 'nothing'

/** A connected calendar that has a meeting: its member, and what the member shares. */
export type MeetingCalendar = readonly [memberId: string, sharing: MeetingSharing]

export interface Meeting extends MeetingTimes {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly participants: readonly Participant[]
  /** Each record once. */
  readonly links: readonly MeetingLink[]
  /** As PostgreSQL prints it, or as clients get it. */
  readonly createdAt: string
  /** The number of the actor. */
  readonly createdBy: number
  readonly version: number
  /** The connected calendars that have it. None: everybody who reads meetings sees it. */
  readonly calendars: readonly MeetingCalendar[]
}

/** The addresses of the participants. */
export const addressesOf = ({ participants }: Pick<Meeting, 'participants'>): string[] =>
  participants.flatMap(({ emailAddress }) => emailAddress ?? [])
