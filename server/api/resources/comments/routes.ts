import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { createComment, deleteComment, getComment, updateComment } from './comments'
import { CommentAnswer, CreateCommentBody, UpdateCommentBody } from './schemas'

const tag = 'Comments'
const read = ['comment:read'] as const
const write = ['comment:read-write'] as const

const ALSO_NEEDS =
  'A comment on a record also needs `object_configuration:read` and `record_permission:read`, one on an entry `list_configuration:read` and `list_entry:read`.'

/** See docs/reference/comments.md (Comments). */
export const commentRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'comments' })
    .post(
      ...guard(
        '/v2/comments',
        {
          operation: 'createComment',
          summary: 'Comment on a record, on an entry or in a thread',
          description: ALSO_NEEDS,
          tag,
          scopes: write,
          body: CreateCommentBody,
          hasStatusCodeTwice: true,
          response: CommentAnswer,
        },
        async ({ context, body }) => ({ data: await createComment(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        '/v2/comments/:comment_id',
        {
          operation: 'getComment',
          summary: 'Get a comment',
          description: ALSO_NEEDS,
          tag,
          scopes: read,
          response: CommentAnswer,
        },
        async ({ context, params }) => ({ data: await getComment(context, params.comment_id) }),
      ),
    )
    .patch(
      ...guard(
        '/v2/comments/:comment_id',
        {
          operation: 'updateComment',
          summary: 'Edit a comment or resolve its thread',
          description: `A member edits comments of their own. ${ALSO_NEEDS}`,
          tag,
          scopes: write,
          body: UpdateCommentBody,
          response: CommentAnswer,
        },
        async ({ context, params, body }) => ({ data: await updateComment(context, params.comment_id, body.data) }),
      ),
    )
    .delete(
      ...guard(
        '/v2/comments/:comment_id',
        {
          operation: 'deleteComment',
          summary: 'Delete a comment',
          description: 'Deleting the first comment of a thread deletes the thread.',
          tag,
          scopes: write,
          response: EmptyAnswer,
        },
        async ({ context, params }) => {
          await deleteComment(context, params.comment_id)
          return {}
        },
      ),
    )
