/** The schemas of threads and comments. See docs/reference/comments.md (Members of a comment). */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })
const ACTOR_TYPES = ['api-token', 'workspace-member', 'system', 'app'] as const

const Nullable = Type.Union([Type.String(), Type.Null()])
const ActorOutput = Type.Object({ type: Type.Union([Type.Enum([...ACTOR_TYPES]), Type.Null()]), id: Nullable })

export const CommentOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, comment_id: Uuid }),
  thread_id: Uuid,
  content_plaintext: Type.String({ description: 'Members who are mentioned stand in it by their email addresses.' }),
  entry: Type.Union([Type.Object({ entry_id: Uuid, list_id: Uuid }), Type.Null()]),
  record: Type.Object({ record_id: Uuid, object_id: Uuid }, { description: 'For an entry, its parent record.' }),
  resolved_at: Type.Union([Timestamp, Type.Null()]),
  resolved_by: ActorOutput,
  created_at: Timestamp,
  edited_at: Type.Union([Timestamp, Type.Null()], { description: 'When the content was changed last.' }),
  author: ActorOutput,
})
export type CommentOutput = Static<typeof CommentOutput>

export const ThreadOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, thread_id: Uuid }),
  comments: Type.Array(CommentOutput),
  created_at: Timestamp,
})
export type ThreadOutput = Static<typeof ThreadOutput>

/** A thread in a list, with its head and at most 80 replies. */
export const ThreadSummary = Type.Object({
  ...ThreadOutput.properties,
  comments: Type.Array(CommentOutput, { minItems: 1 }),
  has_more_comments: Type.Boolean({ description: '`GET /v2/threads/{thread_id}` has all comments, in pages.' }),
})
export type ThreadSummary = Static<typeof ThreadSummary>
