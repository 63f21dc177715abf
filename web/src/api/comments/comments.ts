/** Threads of comments on records and on entries. */

import type { CommentCountsAnswer } from '#api/console/counts/schemas'
import type { ThreadAnswer, ThreadsAnswer } from '#api/resources/threads/schemas'
import { api, workspaceApi } from '../client'

export type Thread = ThreadsAnswer['data'][number]
export type Comment = Thread['comments'][number]

/** The record or the entry that threads belong to. */
export type Subject =
  | { readonly kind: 'record'; readonly object: string; readonly id: string }
  | { readonly kind: 'entry'; readonly list: string; readonly id: string }

/** The largest page of the API, and the number of pages that are read at most. */
const PAGE = 50
const MAX_PAGES = 20

/** All threads, the oldest first, up to a thousand. */
export async function listThreads(subject: Subject, signal?: AbortSignal): Promise<Thread[]> {
  const of =
    subject.kind === 'record'
      ? { object: subject.object, record_id: subject.id }
      : { list: subject.list, entry_id: subject.id }
  const threads: Thread[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...of, limit: PAGE, offset: page * PAGE }
    const { data } = await api.get<ThreadsAnswer>('/threads', { query, signal })
    threads.push(...data)
    if (data.length < PAGE) break
  }
  return Promise.all(threads.map((thread) => (thread.has_more_comments ? withAllComments(thread, signal) : thread)))
}

async function withAllComments(thread: Thread, signal?: AbortSignal): Promise<Thread> {
  const comments: Comment[] = []
  let cursor: string | undefined
  do {
    const path = `/threads/${thread.id.thread_id}`
    const { data, pagination } = await api.get<ThreadAnswer>(path, { query: { cursor }, signal })
    comments.push(...data.comments)
    cursor = pagination.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { ...thread, comments }
}

interface CommentInput {
  readonly authorId: string
  readonly content: string
  /** The thread of a reply, or the subject of a new thread. */
  readonly on: Subject | { readonly kind: 'thread'; readonly id: string }
}

export async function createComment({ authorId, content, on }: CommentInput): Promise<Comment> {
  const author = { type: 'workspace-member', id: authorId }
  const data = { format: 'plaintext', content, author, ...placeOf(on) }
  return (await api.post<{ data: Comment }>('/comments', { body: { data } })).data
}

function placeOf(on: CommentInput['on']): object {
  if (on.kind === 'thread') return { thread_id: on.id }
  if (on.kind === 'record') return { record: { object: on.object, record_id: on.id } }
  return { entry: { list: on.list, entry_id: on.id } }
}

/** Resolves the thread of a comment, or makes it unresolved. */
export const setResolved = (commentId: string, is_resolved: boolean): Promise<unknown> =>
  api.patch(`/comments/${commentId}`, { body: { data: { is_resolved } } })

export const editComment = (commentId: string, content: string): Promise<unknown> =>
  api.patch(`/comments/${commentId}`, { body: { data: { content } } })

export const deleteComment = (commentId: string): Promise<unknown> => api.delete(`/comments/${commentId}`)

/** The largest number of entries of one request. */
export const MAX_COUNTED = 100

/** The numbers of comments in the unresolved threads of entries. Entries without any are left out. */
export const countEntryComments = async (
  list: string,
  entryIds: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> => {
  const query = { list, entry_ids: entryIds.join(',') }
  const { data } = await workspaceApi.get<CommentCountsAnswer>('/comment-counts', { query, signal })
  return new Map(data.map(({ entry_id, count }) => [entry_id, count]))
}
