/** See docs/reference/search.md (Texts of notes and others). */

import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'

const Uuid = Type.String({ format: 'uuid' })
const OnRecord = { object_id: Uuid, record_id: Uuid }

export const TextSearchQuery = Type.Object({ query: Type.String({ maxLength: 256 }) })
export type TextSearchQuery = Static<typeof TextSearchQuery>

export const TextSearchAnswer = answerOf(
  Type.Object({
    notes: Type.Array(Type.Object({ note_id: Uuid, title: Type.String(), ...OnRecord })),
    tasks: Type.Array(Type.Object({ task_id: Uuid, excerpt: Type.String(), is_completed: Type.Boolean() })),
    files: Type.Array(Type.Object({ file_id: Uuid, name: Type.String(), ...OnRecord })),
    comments: Type.Array(
      Type.Object({
        comment_id: Uuid,
        excerpt: Type.String(),
        ...OnRecord,
        list_id: Type.Union([Uuid, Type.Null()]),
        entry_id: Type.Union([Uuid, Type.Null()]),
      }),
    ),
  }),
)
export type TextSearchAnswer = Static<typeof TextSearchAnswer>
