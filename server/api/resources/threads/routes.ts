import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { ThreadAnswer, ThreadQuery, ThreadsAnswer, ThreadsQuery } from './schemas'
import { getList } from '#access/list-access/list-access'
import {
  findThreadRow,
  listCommentsOfThread,
  listThreadsOfEntry,
  listThreadsOfRecord,
  type ThreadWithComments,
} from '#crm/comments/store'
import { renderThread, renderThreadSummary } from '#crm/comments/render'
import { isVisibleSubject, requireSubjectScopes } from '#crm/comments/subject'
import type { RequestContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { threadNotFound } from '#base/errors/meetings'
import { invalidQuery, readId } from '#base/errors/http'
import { inSlices } from '#base/timing/in-slices'
import { cursorsFor } from '#engine/query/run/cursor'
import { parseInstant } from '#engine/attribute-types/formats/instants'
import { InvalidValue } from '#base/errors/api-error'

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

// Reading threads. See docs/reference/comments.md (Threads).

/**
 * The threads of a record itself or of an entry, the oldest first. Throws 400 unless the query names exactly one of them,
 * 404 for object and list, and 403 without the scopes that reading the subject requires.
 */
const listThreads = (context: RequestContext, query: ThreadsQuery): Promise<string[]> =>
  retryOnConflict(context, async (context) => inSlices(renderPage(context, await findThreads(context, query))))

/** The pieces of the JSON of a page. Yields after each thread. */
function* renderPage({ model }: RequestContext, threads: readonly ThreadWithComments[]): Generator<void, string[]> {
  const pieces: string[] = []
  for (const thread of threads) {
    pieces.push(pieces.length === 0 ? '' : ',', JSON.stringify(renderThreadSummary(model, thread)))
    yield
  }
  return ['{"data":[', ...pieces, ']}']
}

/** A page of the comments of a thread. Throws 404, 400 for a cursor of another query, and 403 as `listThreads` does. */
const getThread = (context: RequestContext, threadId: string, query: ThreadQuery): Promise<ThreadAnswer> =>
  retryOnConflict(context, async (context) => {
    const { limit = 250, cursor } = query
    const thread = await findThreadRow(context, readId('Thread', threadId))
    if (thread === undefined || !isVisibleSubject(context, thread)) throw threadNotFound(threadId)
    requireSubjectScopes(context, thread.entry_id === null ? 'record' : 'entry')
    const cursors = await cursorsFor(context, { id: `thread ${thread.id}` }, query)
    const [createdAt, id] = cursor === undefined ? [] : cursors.decode(cursor)
    const place = createdAt && id ? { createdAt, id } : undefined
    const createdAfter = parseCreatedAfter(query.created_after)
    const found = await listCommentsOfThread(context, thread.id, { place, createdAfter, limit: limit + 1 })
    const comments = found.slice(0, limit)
    const last = found.length > limit ? comments.at(-1) : undefined
    return {
      data: renderThread(context.model, { thread, comments }),
      pagination: { next_cursor: last === undefined ? null : cursors.encode([last.created_at, last.id]) },
    }
  })

function parseCreatedAfter(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return parseInstant(text, ['created_after']).value
  } catch (error) {
    throw error instanceof InvalidValue ? invalidQuery(error.issues) : error
  }
}

function findThreads(
  context: RequestContext,
  { record_id, object, entry_id, list, limit = 10, offset = 0 }: ThreadsQuery,
): Promise<ThreadWithComments[]> {
  const isOfRecord = entry_id === undefined && list === undefined
  if (isOfRecord && record_id !== undefined && object !== undefined) {
    requireSubjectScopes(context, 'record')
    const subject = { object_id: getObject(context.model, object).id, record_id: record_id.toLowerCase() }
    return listThreadsOfRecord(context, subject, { limit, offset })
  }
  if (record_id === undefined && object === undefined && entry_id !== undefined && list !== undefined) {
    requireSubjectScopes(context, 'entry')
    const subject = { list_id: getList(context, list, 'read-only').id, entry_id: entry_id.toLowerCase() }
    return listThreadsOfEntry(context, subject, { limit, offset })
  }
  const message = 'Either object and record_id, or list and entry_id are required'
  throw invalidQuery([{ code: 'invalid', path: [isOfRecord ? 'record_id' : 'entry_id'], message }])
}
