/** The change events of tasks. See docs/reference/webhooks-and-events.md (Event types, Subscription filters). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { eventLines, publishAll } from '#testing/events'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'
import { matchEvents } from '#events/webhooks/match/match-events'

const service = useTestService()
const tasks = taskClient(service)
let person: string
beforeAll(async () => {
  person = await listClient(service).record()
})

const lines = (task: string) => eventLines(service, { [task]: 'task' })

describe('change events', () => {
  test('one for each write that changes the task', async () => {
    await service.events()
    const task = await tasks.task({ linked_records: [person] })
    expect(await lines(task)).toEqual(['task.created task by api-token'])
    for (const change of [
      { is_completed: true },
      { linked_records: [] },
      { assignees: [service.member.id] },
      { deadline_at: '2030-01-01' },
      { content: 'New', format: 'plaintext' },
    ]) {
      await tasks.update(task, change)
      expect(await lines(task)).toEqual(['task.updated task by api-token'])
    }
    await tasks.remove(task)
    expect(await lines(task)).toEqual(['task.deleted task by api-token'])
  })

  test('none when nothing changes, and none for a refused write', async () => {
    const state = { linked_records: [person], deadline_at: '2030-01-01', assignees: [service.member.id] }
    const task = await tasks.task(state)
    await service.events()
    await tasks.update(task, { ...state, is_completed: false, content: 'Ignored' })
    await tasks.update(task, { content: 'Call back', format: 'plaintext' })
    await tasks.update(task, { deadline_at: '2030-01-01T02:00:00+02:00' })
    await tasks.update(task, { is_completed: true, assignees: ['x@example.com'] })
    expect(await lines(task)).toEqual([])
    expect((await tasks.get(task)).headers.get('etag')).toBe('"1"')
  })
})

describe('GET /v2/events', () => {
  const NEEDED = ['webhook:read', 'task:read', 'object_configuration:read', 'record_permission:read', 'user_management:read'] as const // prettier-ignore

  test('200 with events of tasks for a key that may read tasks', async () => {
    const task = await tasks.task()
    await service.events()
    const seenWith = async (scopes: readonly (typeof NEEDED)[number][]) => {
      const { body } = await service.request('GET', '/v2/events', undefined, { key: await service.keyWith(scopes) })
      const ids = body.data.map(({ event }: { event: { id: { task_id?: string } } }) => event.id.task_id)
      return ids.includes(task)
    }
    expect(await seenWith(NEEDED)).toBe(true)
    for (const scope of NEEDED.slice(1))
      expect([scope, await seenWith(NEEDED.filter((each) => each !== scope))]).toEqual([scope, false])
  })
})

describe('webhooks', () => {
  test('deliver events of tasks that pass the filter', async () => {
    const task = await tasks.task()
    const condition = { field: 'id.task_id', operator: 'equals', value: task }
    const { body } = await service.request('POST', '/v2/webhooks', {
      data: {
        target_url: 'https://example.com/tasks',
        subscriptions: ['task.updated', 'task.deleted'].map((event_type) => ({
          event_type,
          filter: { $and: [condition] },
        })),
      },
    })
    expect(body.message).toBeUndefined()
    const other = await tasks.task()
    for (const each of [task, other]) await tasks.update(each, { is_completed: true })
    for (const each of [task, other]) await tasks.remove(each)
    await publishAll(service, matchEvents)
    const deliveries = await service.request('GET', `/v2/webhooks/${body.data.id.webhook_id}/deliveries`)
    const types = deliveries.body.data.map(({ event_type }: { event_type: string }) => event_type)
    expect(types.toSorted()).toEqual(['task.deleted', 'task.updated'])
  })

  test('400 for a filter on a field that events of tasks lack', async () => {
    const filter = { $and: [{ field: 'id.record_id', operator: 'equals', value: person }] }
    const data = { target_url: 'https://example.com/x', subscriptions: [{ event_type: 'task.created', filter }] }
    expect((await service.request('POST', '/v2/webhooks', { data })).status).toBe(400)
  })
})
