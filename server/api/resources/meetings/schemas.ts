/** Wire shapes of meetings. See docs/reference/meetings.md (Members, Lists of meetings). */

import { type Static, Type } from 'typebox'
import { PARTICIPANT_STATUSES } from './meeting'

const Uuid = Type.String({ format: 'uuid' })
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Longer texts are no names, addresses or identities. They are refused before they are parsed. */
const MAX_TEXT = 1000
const MAX_TIMESTAMP = 100
const MAX_CURSOR = 1000
/** More than 500 addresses have. */
const MAX_ADDRESSES = 16_000

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

const LinkedRecords = Type.Array(LinkedRecord, { maxItems: 50 })

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

const members = {
  title: Type.String({ maxLength: 1000 }),
  description: Type.String({ maxLength: 10_000 }),
  start: MeetingTime,
  end: MeetingTime,
  is_all_day: Type.Boolean(),
  participants: Type.Array(ParticipantInput, { minItems: 1, maxItems: 500 }),
  linked_records: Type.Optional(LinkedRecords),
}

export const MeetingInput = Type.Object({ ...members, external_ref: Type.Optional(ExternalRef) })
export type MeetingInput = Static<typeof MeetingInput>

/** `linked_records` adds to the links. The other members are an addition to the public API. */
export const MeetingChange = Type.Partial(Type.Object(members), { additionalProperties: false })
export type MeetingChange = Static<typeof MeetingChange>

export const CreateMeetingBody = Type.Object({ data: MeetingInput })
export const UpdateMeetingBody = Type.Object({ data: MeetingChange })
export const ReplaceLinksBody = Type.Object({
  data: Type.Object({ linked_records: LinkedRecords }, { additionalProperties: false }),
})
/** Without `force`, only a meeting that no calendar import made is deleted. */
export const DeleteMeetingQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Deletes a meeting of a calendar import, too.' })),
})

const MeetingTimeOutput = Type.Union([
  Type.Object({ datetime: Type.String({ format: 'date-time' }), timezone: nullable(Type.String()) }),
  Type.Object({ date: Type.String({ format: 'date' }) }),
])
export type MeetingTimeOutput = Static<typeof MeetingTimeOutput>

export const MeetingOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, meeting_id: Uuid }),
  title: Type.String(),
  description: Type.String(),
  is_all_day: Type.Boolean(),
  start: MeetingTimeOutput,
  end: MeetingTimeOutput,
  participants: Type.Array(
    Type.Object({
      status: Type.Enum([...PARTICIPANT_STATUSES]),
      is_organizer: Type.Boolean(),
      email_address: nullable(Type.String()),
      name: nullable(Type.String()),
    }),
  ),
  linked_records: Type.Array(Type.Object({ object_slug: Type.String(), object_id: Uuid, record_id: Uuid })),
  created_at: Type.String({ format: 'date-time' }),
  created_by_actor: Type.Object({ type: Type.String(), id: nullable(Uuid) }),
})
export type MeetingOutput = Static<typeof MeetingOutput>

export const MeetingAnswer = Type.Object({ data: MeetingOutput })
export const MeetingsAnswer = Type.Object({
  data: Type.Array(MeetingOutput),
  pagination: Type.Object({ next_cursor: nullable(Type.String()) }),
})
export type MeetingsAnswer = Static<typeof MeetingsAnswer>
export const MeetingsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
  sort: Type.Optional(Type.Enum(['start_asc', 'start_desc'], { default: 'start_asc' })),
  linked_object: Type.Optional(Type.String()),
  linked_record_id: Type.Optional(Uuid),
  participants: Type.Optional(
    Type.String({ maxLength: MAX_ADDRESSES, description: 'Email addresses, separated by commas.' }),
  ),
  ends_from: Type.Optional(Timestamp),
  starts_before: Type.Optional(Timestamp),
  timezone: Type.Optional(
    Type.String({ maxLength: MAX_TEXT, description: 'Where the dates of all-day meetings begin.', default: 'UTC' }),
  ),
})
export type MeetingsQuery = Static<typeof MeetingsQuery>
