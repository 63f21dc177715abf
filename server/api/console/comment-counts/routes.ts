import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { countComments } from './count-comments'
import { CommentCountsAnswer, CommentCountsQuery } from './schemas'

export const commentCountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-comment-counts' }).get(
    '/console/api/workspaces/:workspace_id/comment-counts',
    ...guard.member({ response: CommentCountsAnswer, query: CommentCountsQuery }, ({ member, query }) =>
      countComments(appContext, member, query),
    ),
  )
