/** Wire shapes of the activity of a record. See docs/reference/activity.md (Items). */

import { type Static, Type } from 'typebox'
import { Value } from '#engine/entities/read/schemas'

const Uuid = Type.String({ format: 'uuid' })
const MAX_CURSOR = 1000
/** More than all types together have. */
const MAX_TYPES = 1000

export const ITEM_TYPES = [
  'record.created',
  'record.merged',
  'values.changed',
  'entry.added',
  'entry.moved',
  'entry.removed',
  'task.linked',
  'task.completed',
  'meeting.linked',
  'email.sent',
  'note.created',
  'comment.created',
  'file.added',
  'activity.added',
  'activity.changed',
] as const
export type ItemType = (typeof ITEM_TYPES)[number]

const ChangedAttribute = Type.Object({
  attribute_id: Uuid,
  api_slug: Type.String(),
  previous_values: Type.Array(Value),
  new_values: Type.Array(Value),
})

const Item = Type.Object({
  type: Type.Enum([...ITEM_TYPES]),
  at: Type.String({ format: 'date-time' }),
  actor: Type.Object({
    type: Type.Union([Type.String(), Type.Null()]),
    id: Type.Union([Uuid, Type.Null()]),
  }),
  merged_record_ids: Type.Optional(Type.Array(Uuid)),
  attributes: Type.Optional(Type.Array(ChangedAttribute)),
  entry: Type.Optional(Type.Object({ list_id: Uuid, list_api_slug: Type.String(), entry_id: Uuid })),
  task: Type.Optional(Type.Object({ task_id: Uuid, content_plaintext: Type.String() })),
  meeting: Type.Optional(
    Type.Object({
      meeting_id: Uuid,
      title: Type.String(),
      starts_at: Type.String({ format: 'date-time' }),
      is_all_day: Type.Boolean(),
    }),
  ),
  email: Type.Optional(
    Type.Object({
      email_id: Uuid,
      direction: Type.Enum(['inbound', 'outbound']),
      subject_line: Type.Union([Type.String(), Type.Null()]),
      from: Type.Union([Type.String(), Type.Null()]),
      has_text: Type.Boolean(),
    }),
  ),
  note: Type.Optional(Type.Object({ note_id: Uuid, title: Type.String() })),
  file: Type.Optional(
    Type.Object({
      file_id: Uuid,
      file_type: Type.Enum(['file', 'connected-file']),
      name: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  activity: Type.Optional(
    Type.Object({
      activity_id: Uuid,
      api_slug: Type.String(),
      singular_noun: Type.String(),
      record_id: Uuid,
      record_text: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  comment: Type.Optional(
    Type.Object({
      comment_id: Uuid,
      thread_id: Uuid,
      list_id: Type.Union([Uuid, Type.Null()]),
      entry_id: Type.Union([Uuid, Type.Null()]),
      content_plaintext: Type.String(),
    }),
  ),
})
export type ActivityItem = Static<typeof Item>

export const ActivityQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
  type: Type.Optional(
    Type.String({ maxLength: MAX_TYPES, description: 'Types of items, separated by commas. All types without it.' }),
  ),
})
export type ActivityQuery = Static<typeof ActivityQuery>

export const RecordActivityAnswer = Type.Object({
  data: Type.Array(Item),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
