/** Tasks for tests. */

import type { Client, RequestOptions } from './client'

/** A body that creates a task, with other members where given. */
export const taskInput = (members: Readonly<Record<string, unknown>> = {}) => ({
  content: 'Call back',
  format: 'plaintext',
  deadline_at: null,
  is_completed: false,
  linked_records: [],
  assignees: [],
  ...members,
})

export const taskIdOf = ({ id }: { id: { task_id: string } }): string => id.task_id

export function taskClient({ request }: { request: Client }) {
  const create = (members: Readonly<Record<string, unknown>> = {}, options: RequestOptions = {}) =>
    request('POST', '/v2/tasks', { data: taskInput(members) }, options)
  return {
    create,
    /** Creates a task and returns its id. */
    async task(members: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { status, body } = await create(members)
      if (status !== 200) throw new Error(`POST /v2/tasks answered ${status}: ${body.message}`)
      return taskIdOf(body.data)
    },
    get: (id: string, options: RequestOptions = {}) => request('GET', `/v2/tasks/${id}`, undefined, options),
    update: (id: string, data: unknown, options: RequestOptions = {}) =>
      request('PATCH', `/v2/tasks/${id}`, { data }, options),
    remove: (id: string, options: RequestOptions = {}) => request('DELETE', `/v2/tasks/${id}`, undefined, options),
    list: (query: string, options: RequestOptions = {}) => request('GET', `/v2/tasks${query}`, undefined, options),
  }
}
