/** What a meeting is made of: as a client of the API, a calendar file and a connected calendar give it. See docs/reference/meetings.md (Members). */

import { type Static, Type } from 'typebox'
import { PARTICIPANT_STATUSES } from './meeting'

const Uuid = Type.String({ format: 'uuid' })
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Longer texts are no names, addresses or identities. They are refused before they are parsed. */
const MAX_TEXT = 1000
const MAX_TIMESTAMP = 100

const ShortText = Type.String({ maxLength: MAX_TEXT })
const NonEmptyText = Type.String({ minLength: 1, maxLength: MAX_TEXT })
const Timestamp = Type.String({ maxLength: MAX_TIMESTAMP })

const MeetingTime = Type.Object(
  {
    datetime: Type.Optional(Timestamp),
    timezone: Type.Optional(nullable(ShortText)),
    date: Type.Optional(Timestamp),
  },
  { description: 'A `date` when `is_all_day` is true, otherwise a `datetime` with an optional `timezone`.' },
)
export type MeetingTimeInput = Static<typeof MeetingTime>

const ParticipantInput = Type.Object(
  {
    email_address: Type.Optional(ShortText),
    name: Type.Optional(NonEmptyText),
    is_organizer: Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])]),
    status: Type.Enum([...PARTICIPANT_STATUSES]),
  },
  { description: 'With an `email_address`, a `name`, or both.' },
)
export type ParticipantInput = Static<typeof ParticipantInput>

const LinkedRecord = Type.Object({ object: ShortText, record_id: Uuid })
export type LinkedRecordInput = Static<typeof LinkedRecord>

export const LinkedRecords = Type.Array(LinkedRecord, { maxItems: 50 })

const ExternalRef = Type.Union([
  NonEmptyText,
  Type.Object({
    ical_uid: NonEmptyText,
    provider: Type.Enum(['google', 'microsoft', 'outlook']),
    original_start_time: Type.Optional(nullable(Timestamp)),
    is_recurring: Type.Boolean(),
  }),
])
export type ExternalRef = Static<typeof ExternalRef>

export const MEETING_MEMBERS = {
  title: Type.String({ maxLength: 1000 }),
  description: Type.String({ maxLength: 10_000 }),
  start: MeetingTime,
  end: MeetingTime,
  is_all_day: Type.Boolean(),
  participants: Type.Array(ParticipantInput, { minItems: 1, maxItems: 500 }),
  linked_records: Type.Optional(LinkedRecords),
}

export const MeetingInput = Type.Object({ ...MEETING_MEMBERS, external_ref: Type.Optional(ExternalRef) })
export type MeetingInput = Static<typeof MeetingInput>

export const MeetingTimeOutput = Type.Union([
  Type.Object({ datetime: Type.String({ format: 'date-time' }), timezone: nullable(Type.String()) }),
  Type.Object({ date: Type.String({ format: 'date' }) }),
])
export type MeetingTimeOutput = Static<typeof MeetingTimeOutput>
