import { Type } from 'typebox'
import { flatten } from '#api/mcp/answers'
import { ADDS, defineTool, nextPage, ObjectSlug, page, pageOfArguments, READS, RecordId, REPLACES } from './define'

type TaskData = Readonly<Record<string, unknown>>

/** As in the schemas of the operations. */
const compact = ({ content_plaintext, created_by_actor: _, ...task }: TaskData) => ({
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
    return { tasks: data.map(compact), ...nextPage(data, place) }
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
    return compact((answer as { data: TaskData }).data) // as in the schema of the operation
  },
})
