import { Type } from 'typebox'
import { flatten } from '#api/mcp/answers'
import { OperationFailed } from '#api/mcp/operation-caller'
import {
  ADDS,
  defineTool,
  EntryId,
  ListSlug,
  nextPage,
  ObjectSlug,
  page,
  pageOfArguments,
  READS,
  RecordId,
} from './define'

interface CommentData extends Readonly<Record<string, unknown>> {
  readonly content_plaintext: string
  readonly author: { readonly id: string | null } | null
  readonly created_at: string
  readonly resolved_at: string | null
}

interface ThreadData {
  readonly id: { readonly thread_id: string }
  readonly comments: readonly CommentData[]
  /** Absent from a single thread. */
  readonly has_more_comments?: boolean
}

interface ThreadPage {
  readonly data: ThreadData
  readonly pagination: { readonly next_cursor: string | null }
}

/** Either a record of an object, or an entry of a list. */
const SUBJECT = {
  object: Type.Optional(ObjectSlug),
  record_id: Type.Optional(RecordId),
  list: Type.Optional(ListSlug),
  entry_id: Type.Optional(EntryId),
}

const compact = (comment: CommentData) => ({
  id: flatten(comment).id,
  content: comment.content_plaintext,
  author: comment.author?.id,
  created_at: comment.created_at,
})

const compactThread = ({ id, comments, has_more_comments }: ThreadData) => ({
  id: id.thread_id,
  is_resolved: (comments[0]?.resolved_at ?? null) !== null,
  comments: comments.map(compact),
  ...(has_more_comments === true && { has_more_comments }),
})

export const listCommentsTool = defineTool({
  name: 'list_comments',
  title: 'List comments',
  description:
    'Lists the threads of comments on a record or on an entry, with at most 81 comments each; `has_more_comments` says that there are more. ' +
    'With `thread_id`, lists all comments of one thread in pages of 250: `next_cursor` is the `cursor` of the next page.',
  operations: ['listThreads', 'getThread'],
  effect: READS,
  arguments: Type.Object({
    ...SUBJECT,
    thread_id: Type.Optional(Type.String({ format: 'uuid' })),
    cursor: Type.Optional(Type.String({ description: 'Only with `thread_id`.' })),
    ...page(50),
  }),
  async run({ object, record_id, list, entry_id, thread_id, cursor, ...given }, { call }) {
    if (thread_id !== undefined) {
      const answer = await call('getThread', { params: { thread_id }, query: { cursor } })
      const { data, pagination } = answer as ThreadPage // as in the schema of the operation
      const { is_resolved, ...thread } = compactThread(data)
      // Only the first page has the comment that says so.
      const whole = cursor === undefined ? { ...thread, is_resolved } : thread
      return { threads: [whole], ...(pagination.next_cursor !== null && pagination) }
    }
    if (cursor !== undefined) throw new OperationFailed(400, 'Argument cursor: Needs thread_id.')
    const place = pageOfArguments(given)
    const answer = await call('listThreads', { query: { object, record_id, list, entry_id, ...place } })
    const { data } = answer as { data: ThreadData[] } // as in the schema of the operation
    return { threads: data.map(compactThread), ...nextPage(data, place) }
  },
})

export const createCommentTool = defineTool({
  name: 'create_comment',
  title: 'Create a comment',
  description:
    'Comments on a record or an entry in a new thread, or replies to a thread. The email address of a member in the text mentions the member. ' +
    'The author is the member who connected the assistant.',
  operations: ['createComment'],
  effect: ADDS,
  arguments: Type.Object({
    content: Type.String({ minLength: 1, maxLength: 10_000 }),
    thread_id: Type.Optional(Type.String({ format: 'uuid', description: 'The thread to reply to.' })),
    ...SUBJECT,
  }),
  async run({ content, thread_id, object, record_id, list, entry_id }, { context, call }) {
    if (context.memberId === undefined) throw new OperationFailed(400, 'A member must be the author of a comment.')
    const data = {
      format: 'plaintext',
      content,
      author: { type: 'workspace-member', id: context.memberId },
      ...(thread_id === undefined ? {} : { thread_id }),
      ...(record_id === undefined ? {} : { record: { object, record_id } }),
      ...(entry_id === undefined ? {} : { entry: { list, entry_id } }),
    }
    const answer = (await call('createComment', { body: { data } })) as { data: CommentData } // as in the schema of the operation
    return { id: flatten(answer.data).id, thread_id: answer.data.thread_id }
  },
})
