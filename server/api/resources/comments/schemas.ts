/** The bodies and answers of comments. See docs/reference/comments.md (Comments). */

import { type Static, Type } from 'typebox'
import { CommentOutput } from '#crm/comments/schemas'

const Uuid = Type.String({ format: 'uuid' })

/** The largest content, in characters. */
export const MAX_CONTENT = 10_000

const Content = Type.String({
  minLength: 1,
  maxLength: MAX_CONTENT,
  description: 'The email address of a member becomes a mention of the member.',
})

export const CommentInput = Type.Object(
  {
    format: Type.Literal('plaintext'),
    content: Content,
    author: Type.Object(
      { type: Type.Literal('workspace-member'), id: Uuid },
      { description: 'Any member, also a suspended one. At the console, the member who comments.' },
    ),
    created_at: Type.Optional(
      Type.String({ maxLength: 64, description: 'From 1970 to now. Without it, the time of the request.' }),
    ),
    thread_id: Type.Optional(Uuid),
    record: Type.Optional(Type.Object({ object: Type.String(), record_id: Uuid })),
    entry: Type.Optional(Type.Object({ list: Type.String(), entry_id: Uuid })),
  },
  { description: 'With exactly one of `thread_id`, for a reply, and `record` or `entry`, for a new thread.' },
)
export type CommentInput = Static<typeof CommentInput>

export const CommentChange = Type.Object({
  content: Type.Optional(Content),
  is_resolved: Type.Optional(Type.Boolean({ description: 'Of the thread. Any of its comments names it.' })),
})
export type CommentChange = Static<typeof CommentChange>

export const CreateCommentBody = Type.Object({ data: CommentInput })
export const UpdateCommentBody = Type.Object({ data: CommentChange })

export const CommentAnswer = Type.Object({ data: CommentOutput })
