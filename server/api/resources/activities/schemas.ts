/** The schemas of activities. See docs/reference/activities.md (An activity). */

import { type Static, Type } from 'typebox'
import { deletedMembers, ownPartCounts } from '#api/entities/trash-schemas'
import { ACTIVITY_SCHEMA_SLUGS } from '#vocabulary/data-model'
import { SLUG_PATTERN } from '#engine/data-model/names'

const Noun = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })

const names = {
  api_slug: Type.String({
    pattern: SLUG_PATTERN,
    description: 'Unique among activities and objects; names the activity in URLs.',
  }),
  singular_noun: Noun,
  plural_noun: Noun,
}

export const ActivityInput = Type.Object({
  ...names,
  extends: Type.Enum([...ACTIVITY_SCHEMA_SLUGS], { description: 'The schema whose attributes the activity gets.' }),
})
export type ActivityInput = Static<typeof ActivityInput>

/** The schema of an activity cannot change, so `extends` is refused like any other member. */
export const ActivityChange = Type.Partial(Type.Object(names), { additionalProperties: false })
export type ActivityChange = Static<typeof ActivityChange>

export const CreateActivityBody = Type.Object({ data: ActivityInput })
export const UpdateActivityBody = Type.Object({ data: ActivityChange })

const Uuid = Type.String({ format: 'uuid' })

export const ActivityOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, activity_id: Uuid }),
  api_slug: Type.String(),
  singular_noun: Type.String(),
  plural_noun: Type.String(),
  extends: Type.Array(Type.Object({ schema_id: Uuid, schema_slug: Type.Enum([...ACTIVITY_SCHEMA_SLUGS]) })),
  is_system_activity: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
})
export type ActivityOutput = Static<typeof ActivityOutput>

export const ListActivitiesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
})
export type ListActivitiesQuery = Static<typeof ListActivitiesQuery>

export const ActivityAnswer = Type.Object({ data: ActivityOutput })
export const ActivitiesAnswer = Type.Object({
  data: Type.Array(ActivityOutput),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
export type ActivitiesAnswer = Static<typeof ActivitiesAnswer>

export const DeleteActivityQuery = Type.Object({
  permanent: Type.Optional(
    Type.Boolean({
      description: 'Whether an activity that is deleted already is deleted for good. It is named by its id.',
    }),
  ),
})

const ActivityDeletionCounts = Type.Object(ownPartCounts)
export type ActivityDeletionCounts = Static<typeof ActivityDeletionCounts>

export const ActivityDeletionAnswer = Type.Object({
  data: Type.Optional(Type.Object(ownPartCounts, { description: 'What a dry run would delete.' })),
})

export const RestoreActivityBody = Type.Object({ data: Type.Optional(ActivityChange) })

const DeletedActivityOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, activity_id: Uuid }),
  ...deletedMembers,
})
export type DeletedActivityOutput = Static<typeof DeletedActivityOutput>

export const TrashedActivitiesAnswer = Type.Object({ data: Type.Array(DeletedActivityOutput) })
