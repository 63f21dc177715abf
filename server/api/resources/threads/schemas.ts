/** The query and answers of threads. See docs/reference/comments.md (Threads). */

import { type Static, Type } from 'typebox'
import { ThreadOutput, ThreadSummary } from '#crm/comments/schemas'
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

const MAX_CURSOR = 1000
const MAX_TIMESTAMP = 100

export const ThreadQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 250, default: 250, description: 'How many comments the answer has at most.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR })),
  created_after: Type.Optional(
    Type.String({ maxLength: MAX_TIMESTAMP, description: 'Only comments created after this time.' }),
  ),
})
export type ThreadQuery = Static<typeof ThreadQuery>

export const ThreadAnswer = Type.Object({
  data: ThreadOutput,
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
export type ThreadAnswer = Static<typeof ThreadAnswer>
export const ThreadsAnswer = Type.Object({ data: Type.Array(ThreadSummary) })
export type ThreadsAnswer = Static<typeof ThreadsAnswer>
