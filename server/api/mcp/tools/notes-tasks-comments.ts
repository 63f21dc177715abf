/** Tools for notes, tasks and comments. */

import { Type } from 'typebox'
import { flatten } from '#api/mcp/answers'
import {
  ADDS,
  defineTool,
  nextPage,
  ObjectSlug,
  page,
  pageOfArguments,
  READS,
  RecordId,
  REPLACES,
  EntryId,
  ListSlug,
} from './define'
import { OperationFailed } from '#api/mcp/operation-caller'

interface NoteData extends Readonly<Record<string, unknown>> {
  readonly content_plaintext: string
  readonly content_markdown: string
}

const PREVIEW_LENGTH = 300

export const listNotesTool = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: 'Lists notes, the newest first, with the beginning of each; of one record, or by words.',
  operations: ['listNotes'],
  effect: READS,
  arguments: Type.Object({
    object: Type.Optional(ObjectSlug),
    record_id: Type.Optional(RecordId),
    search: Type.Optional(Type.String({ maxLength: 256, description: 'Words of the title and the content.' })),
    ...page(50),
  }),
  async run({ object, record_id, search, ...given }, { call }) {
    const place = pageOfArguments(given)
    const query = { parent_object: object, parent_record_id: record_id, search, ...place }
    const { data } = (await call('listNotes', { query })) as { data: NoteData[] } // as in the schema of the operation
    const notes = data.map(({ content_plaintext, content_markdown: _, created_by_actor: __, ...note }) => ({
      ...flatten(note),
      preview: content_plaintext.slice(0, PREVIEW_LENGTH),
    }))
    return { notes, ...nextPage(data, place) }
  },
})

export const getNoteTool = defineTool({
  name: 'get_note',
  title: 'Get a note',
  description: 'Reads a note as markdown.',
  operations: ['getNote'],
  effect: READS,
  arguments: Type.Object({ note_id: Type.String({ format: 'uuid' }) }),
  async run({ note_id }, { call }) {
    const { data } = (await call('getNote', { params: { note_id } })) as { data: NoteData } // as in the schema of the operation
    const { content_plaintext: _, ...note } = data
    return flatten(note)
  },
})

export const createNoteTool = defineTool({
  name: 'create_note',
  title: 'Create a note',
  description: 'Writes a note about a record, in markdown.',
  operations: ['createNote'],
  effect: ADDS,
  arguments: Type.Object({
    object: ObjectSlug,
    record_id: RecordId,
    title: Type.String({ maxLength: 255 }),
    content: Type.String({ description: 'Markdown.' }),
  }),
  async run({ object, record_id, title, content }, { call }) {
    const data = { parent_object: object, parent_record_id: record_id, title, content, format: 'markdown' }
    const answer = (await call('createNote', { body: { data } })) as { data: NoteData } // as in the schema of the operation
    return { id: flatten(answer.data).id }
  },
})

type TaskData = Readonly<Record<string, unknown>>

/** As in the schemas of the operations. */
const compactTask = ({ content_plaintext, created_by_actor: _, ...task }: TaskData) => ({
  ...flatten(task),
  content: content_plaintext,
})

const Deadline = Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
  description: 'ISO 8601 date or timestamp.',
})
const Assignees = Type.Array(Type.String(), { maxItems: 100, description: 'Email addresses or ids of members.' })
const Content = Type.String({ minLength: 1, maxLength: 2000 })

export const listTasksTool = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description: 'Lists tasks by record, assignee, completion and deadline.',
  operations: ['listTasks'],
  effect: READS,
  arguments: Type.Object({
    object: Type.Optional(ObjectSlug),
    record_id: Type.Optional(RecordId),
    assignee: Type.Optional(Type.String({ description: 'Email address or id of a member.' })),
    is_completed: Type.Optional(Type.Boolean()),
    deadline_before: Type.Optional(Type.String({ maxLength: 100 })),
    ...page(100),
  }),
  async run({ object, record_id, assignee, is_completed, deadline_before, ...given }, { call }) {
    const place = pageOfArguments(given)
    const query = {
      linked_object: object,
      linked_record_id: record_id,
      assignee,
      is_completed,
      deadline_before,
      ...place,
    }
    const { data } = (await call('listTasks', { query })) as { data: TaskData[] } // as in the schema of the operation
    return { tasks: data.map(compactTask), ...nextPage(data, place) }
  },
})

export const createTaskTool = defineTool({
  name: 'create_task',
  title: 'Create a task',
  description: 'Creates a task, with a deadline, assignees and a linked record if they are given.',
  operations: ['createTask'],
  effect: ADDS,
  arguments: Type.Object({
    content: Content,
    deadline_at: Type.Optional(Deadline),
    assignees: Type.Optional(Assignees),
    object: Type.Optional(ObjectSlug),
    record_id: Type.Optional(RecordId),
  }),
  async run({ content, deadline_at = null, assignees = [], object, record_id }, { call }) {
    const linked =
      object === undefined || record_id === undefined ? [] : [{ target_object: object, target_record_id: record_id }]
    const data = { content, format: 'plaintext', deadline_at, is_completed: false, linked_records: linked, assignees }
    const answer = (await call('createTask', { body: { data } })) as { data: TaskData } // as in the schema of the operation
    return { id: flatten(answer.data).id }
  },
})

export const updateTaskTool = defineTool({
  name: 'update_task',
  title: 'Update a task',
  description: 'Completes a task, or changes its content, deadline or assignees.',
  operations: ['updateTask'],
  effect: REPLACES,
  arguments: Type.Object({
    task_id: Type.String({ format: 'uuid' }),
    is_completed: Type.Optional(Type.Boolean()),
    content: Type.Optional(Content),
    deadline_at: Type.Optional(Deadline),
    assignees: Type.Optional(Assignees),
  }),
  async run({ task_id, content, ...changes }, { call }) {
    const data = { ...changes, ...(content === undefined ? {} : { content, format: 'plaintext' }) }
    const answer = await call('updateTask', { params: { task_id }, body: { data } })
    return compactTask((answer as { data: TaskData }).data) // as in the schema of the operation
  },
})

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

const compactComment = (comment: CommentData) => ({
  id: flatten(comment).id,
  content: comment.content_plaintext,
  author: comment.author?.id,
  created_at: comment.created_at,
})

const compactThread = ({ id, comments, has_more_comments }: ThreadData) => ({
  id: id.thread_id,
  is_resolved: (comments[0]?.resolved_at ?? null) !== null,
  comments: comments.map(compactComment),
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
