/** The schemas of objects. See docs/reference/objects-and-attributes.md (Objects). */

import { type Static, Type } from 'typebox'
import { deletedMembers, ownPartCounts } from '#api/entities/trash-schemas'
import { SLUG_PATTERN } from '#engine/data-model/names'

const Noun = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'Unique among objects.' })

const members = {
  api_slug: Type.String({ pattern: SLUG_PATTERN, description: 'Unique among objects; names the object in URLs.' }),
  singular_noun: Noun,
  plural_noun: Noun,
}

export const ObjectInput = Type.Object(members)
export type ObjectInput = Static<typeof ObjectInput>

export const ObjectChange = Type.Partial(ObjectInput)
export type ObjectChange = Static<typeof ObjectChange>

export const CreateObjectBody = Type.Object({ data: ObjectInput })
export const UpdateObjectBody = Type.Object({ data: ObjectChange })

const Uuid = Type.String({ format: 'uuid' })
const nullableText = Type.Union([Type.String(), Type.Null()])

export const ObjectOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid }),
  api_slug: nullableText,
  singular_noun: nullableText,
  plural_noun: nullableText,
  created_at: Type.String({ format: 'date-time' }),
})
export type ObjectOutput = Static<typeof ObjectOutput>

export const ObjectResponse = Type.Object({ data: ObjectOutput })
export const ObjectListResponse = Type.Object({ data: Type.Array(ObjectOutput) })

export const DeleteObjectQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Has no effect: the records are deleted in any case.' })),
  permanent: Type.Optional(
    Type.Boolean({
      description: 'Whether an object that is deleted already is deleted for good. It is named by its id.',
    }),
  ),
})

const Count = Type.Integer({ minimum: 0 })

const DeletionCounts = Type.Object({
  ...ownPartCounts,
  lists: Count,
  entries: Count,
  notes: Count,
  files: Count,
  threads: Count,
  tasks: Type.Integer({
    minimum: 0,
    description: 'Tasks that are linked to its records. They stay, without the links.',
  }),
  meetings: Type.Integer({ minimum: 0, description: 'The same of meetings.' }),
  emails: Type.Integer({ minimum: 0, description: 'The same of emails that were sent from its records.' }),
})
export type DeletionCounts = Static<typeof DeletionCounts>

export const DeletionAnswer = Type.Object({
  data: Type.Optional(Type.Object({ ...DeletionCounts.properties }, { description: 'What a dry run would delete.' })),
})

export const RestoreObjectBody = Type.Object({ data: Type.Optional(ObjectChange) })

const DeletedObjectOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid }),
  ...deletedMembers,
})
export type DeletedObjectOutput = Static<typeof DeletedObjectOutput>

export const TrashedObjectsAnswer = Type.Object({ data: Type.Array(DeletedObjectOutput) })
