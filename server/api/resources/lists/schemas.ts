/** The schemas of lists. See docs/reference/lists-and-entries.md (Lists). */

import { type Static, Type } from 'typebox'
import { ACCESS_LEVELS } from '#vocabulary/data-model'
import { SLUG_PATTERN } from '#engine/data-model/names'

const Uuid = Type.String({ format: 'uuid' })
const nullableText = Type.Union([Type.String(), Type.Null()])

const Level = Type.Enum([...ACCESS_LEVELS])

const MemberAccess = Type.Object({ workspace_member_id: Uuid, level: Level })

/** Of lists of older workspaces. */
const MAX_PARENTS = 20

const members = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  api_slug: Type.String({ pattern: SLUG_PATTERN, description: 'Unique among lists; names the list in URLs.' }),
  workspace_access: Type.Union([Level, Type.Null()], {
    description: 'The access of every member of the workspace; null for a private list.',
  }),
  workspace_member_access: Type.Array(MemberAccess, { description: 'What single members may do besides.' }),
}

export const ListInput = Type.Object({
  ...members,
  parent_object: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 2, maxItems: MAX_PARENTS })], {
    description: 'Slug or id of the object of the parent records; an array of several only for copies of older lists.',
  }),
})
export type ListInput = Static<typeof ListInput>

/** The parent object cannot change. It is in the schema, as an array, so that a different one is refused. */
export const ListChange = Type.Partial(
  Type.Object({ ...members, parent_object: Type.Union([Type.String(), Type.Array(Type.String())]) }),
)
export type ListChange = Static<typeof ListChange>

export const CreateListBody = Type.Object({ data: ListInput })
export const UpdateListBody = Type.Object({ data: ListChange })

export const ListOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, list_id: Uuid }),
  api_slug: Type.String(),
  name: Type.String(),
  parent_object: Type.Array(Type.String()),
  workspace_access: Type.Union([Level, Type.Null()]),
  workspace_member_access: Type.Array(MemberAccess),
  created_by_actor: Type.Object({ type: nullableText, id: nullableText }),
  created_at: Type.String({ format: 'date-time' }),
})
export type ListOutput = Static<typeof ListOutput>

export const ListResponse = Type.Object({ data: ListOutput })
export const ListsResponse = Type.Object({ data: Type.Array(ListOutput) })
