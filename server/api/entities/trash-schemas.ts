/** The schemas of the trash, and of deleted objects and activities. See docs/reference/trash.md. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { ACTOR_TYPES } from '#engine/attribute-types/actor-reference'

const Uuid = Type.String({ format: 'uuid' })

export const DeleteRecordQuery = Type.Object({
  permanent: Type.Optional(
    Type.Boolean({
      description: 'Whether the record is deleted for good. A record in the trash is deleted from it.',
    }),
  ),
  erase_tasks: Type.Optional(
    Type.Boolean({
      description:
        'With `permanent`: whether the texts of its tasks are replaced by `[erased]`. Requires the scope `task:read-write`.',
    }),
  ),
})

/** Longer than any cursor of the list. */
const MAX_CURSOR = 1000

export const TrashQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
})
export type TrashQuery = Static<typeof TrashQuery>

const members = {
  record_text: Type.String(),
  deleted_at: Type.String({ format: 'date-time' }),
  deleted_by_actor: Type.Object({
    type: Type.Union([
      Type.Literal('workspace-member'),
      Type.Literal('api-token'),
      Type.Literal('app'),
      Type.Literal('system'),
    ]),
    id: Type.Union([Type.String(), Type.Null()]),
  }),
  expires_at: Type.String({ format: 'date-time' }),
}

/** A record of an object or of an activity. */
export type TrashedRecordOutput = Static<TObject<typeof members>> & {
  readonly id: Readonly<Record<string, string>>
  readonly merged_into?: string
  readonly timestamp?: string
}

const trashAnswer = <Members extends TProperties>(ofRecord: Members) =>
  Type.Object({
    data: Type.Array(Type.Object(ofRecord)),
    pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
  })

export const TrashAnswer = trashAnswer({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid, record_id: Uuid }),
  ...members,
  merged_into: Type.Optional(Type.String({ format: 'uuid', description: 'Of a record that a merge deleted.' })),
})

export const ActivityTrashAnswer = trashAnswer({
  id: Type.Object({ workspace_id: Uuid, activity_id: Uuid, record_id: Uuid }),
  ...members,
  timestamp: Type.Optional(Type.String({ format: 'date-time', description: 'When it happened.' })),
})

const Count = Type.Integer({ minimum: 0 })

/** What a dry run counts of objects and of activities. */
export const ownPartCounts = {
  records: Count,
  attributes: Count,
  attributes_of_others: Type.Integer({
    minimum: 0,
    description: 'Attributes elsewhere that can refer to these records only.',
  }),
}

const nullableText = Type.Union([Type.String(), Type.Null()])

/** A deleted object or activity, without its ids. */
export const deletedMembers = {
  api_slug: Type.String(),
  singular_noun: Type.String(),
  plural_noun: Type.String(),
  deleted_at: Type.String({ format: 'date-time' }),
  deleted_by_actor: Type.Object({ type: Type.Enum([...ACTOR_TYPES]), id: nullableText }),
  expires_at: Type.String({ format: 'date-time', description: 'From when on it cannot be restored.' }),
}

const DeletedNames = Type.Object(deletedMembers)
export type DeletedNames = Static<typeof DeletedNames>
