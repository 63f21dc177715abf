import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { getThread, listThreads } from './get'
import { ThreadAnswer, ThreadQuery, ThreadsAnswer, ThreadsQuery } from './schemas'

const tag = 'Threads'
const scopes = ['comment:read'] as const

const ALSO_NEEDS =
  'Threads on a record also need `object_configuration:read` and `record_permission:read`, those on an entry `list_configuration:read` and `list_entry:read`.'

/** See docs/reference/comments.md (Threads). */
export const threadRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'threads' })
    .get(
      ...guard(
        '/v2/threads',
        {
          operation: 'listThreads',
          summary: 'List the threads of a record or of an entry',
          description: `The oldest first, each with its first comment and at most 80 replies. ${ALSO_NEEDS}`,
          tag,
          scopes,
          query: ThreadsQuery,
          response: ThreadsAnswer,
        },
        async ({ context, query }) => new JsonText(await listThreads(context, query)),
      ),
    )
    .get(
      ...guard(
        '/v2/threads/:thread_id',
        {
          operation: 'getThread',
          summary: 'Get a thread',
          description: `With its comments in pages, the oldest first. ${ALSO_NEEDS}`,
          tag,
          scopes,
          query: ThreadQuery,
          response: ThreadAnswer,
        },
        ({ context, params, query }) => getThread(context, params.thread_id, query),
      ),
    )
