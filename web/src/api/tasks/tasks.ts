/** Tasks. */

import type { TaskOutput, TasksQuery } from '#api/resources/tasks/schemas'
import type { Actor } from '../records/entities'
import { api } from '../client'

export type Task = TaskOutput
export type { TasksQuery }

export interface TaskChange {
  readonly content?: string
  readonly deadline_at?: string | null
  readonly is_completed?: boolean
  readonly linked_records?: Task['linked_records']
  readonly assignees?: Task['assignees']
}

export type TaskInput = Required<Omit<TaskChange, 'is_completed'>>

/** The largest page. */
export const MAX_TASKS = 500

export const idOfTask = ({ id }: Task): string => id.task_id

/** A member in the form that tasks have it in. */
export const assigneeOf = (memberId: string): Task['assignees'][number] => ({
  referenced_actor_type: 'workspace-member',
  referenced_actor_id: memberId,
})

export const actorOf = ({ referenced_actor_type, referenced_actor_id }: Task['assignees'][number]): Actor => ({
  type: referenced_actor_type,
  id: referenced_actor_id,
})

export const listTasks = async (query: TasksQuery, signal?: AbortSignal): Promise<Task[]> =>
  (await api.get<{ data: Task[] }>('/tasks', { query, signal })).data

export const getTask = async (id: string, signal?: AbortSignal): Promise<Task> =>
  (await api.get<{ data: Task }>(taskPath(id), { signal })).data

export const createTask = async (input: TaskInput): Promise<Task> =>
  (await api.post<{ data: Task }>('/tasks', { body: { data: { ...toWire(input), is_completed: false } } })).data

export const updateTask = async (id: string, change: TaskChange): Promise<Task> =>
  (await api.patch<{ data: Task }>(taskPath(id), { body: { data: toWire(change) } })).data

export const deleteTask = (id: string): Promise<unknown> => api.delete(taskPath(id))

const taskPath = (id: string): string => `/tasks/${encodeURIComponent(id)}`

/** The API takes a content together with its format, and linked records by the slug of their object. */
const toWire = ({ content, linked_records, ...rest }: TaskChange): object => ({
  ...rest,
  ...(content === undefined ? {} : { content, format: 'plaintext' }),
  ...(linked_records && {
    linked_records: linked_records.map(({ target_object_id, target_record_id }) => ({
      target_object: target_object_id,
      target_record_id,
    })),
  }),
})
