/** The query and answers of threads. See docs/reference/comments.md (Threads). */

import { type Static, Type } from 'typebox'
import { ThreadOutput } from '#crm/comments/schemas'
import { limitOffset } from '#api/http/request/pagination'

const Uuid = Type.String({ format: 'uuid' })

export const ThreadsQuery = Type.Object({
  record_id: Type.Optional(Uuid),
  object: Type.Optional(Type.String({ description: 'Slug or id. Comes with `record_id`.' })),
  entry_id: Type.Optional(Uuid),
  list: Type.Optional(Type.String({ description: 'Slug or id. Comes with `entry_id`.' })),
  ...limitOffset(10, 50),
})
export type ThreadsQuery = Static<typeof ThreadsQuery>

export const ThreadAnswer = Type.Object({ data: ThreadOutput })
export const ThreadsAnswer = Type.Object({ data: Type.Array(ThreadOutput) })
export type ThreadsAnswer = Static<typeof ThreadsAnswer>
