/** Wire shapes of meetings. See docs/reference/meetings.md (Members, Lists of meetings). */

import { type Static, Type } from 'typebox'
import { PARTICIPANT_STATUSES } from '#crm/meetings/meeting'
import { LinkedRecords, MEETING_MEMBERS, MeetingInput, MeetingTimeOutput } from '#crm/meetings/meeting-input'

const Uuid = Type.String({ format: 'uuid' })
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Longer texts are refused before they are parsed. */
const MAX_TEXT = 1000
const MAX_TIMESTAMP = 100
const MAX_CURSOR = 1000
/** More than 500 addresses have. */
const MAX_ADDRESSES = 16_000

const Timestamp = Type.String({ maxLength: MAX_TIMESTAMP })

export type { MeetingInput }

/** `linked_records` adds to the links. The other members are an addition to the public API. */
export const MeetingChange = Type.Partial(Type.Object(MEETING_MEMBERS), { additionalProperties: false })
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
