/** Events of records are in the outbox of their workspace, all others in that of the control tables. See docs/decisions/events.md. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { outboxWriterOf } from '#engine/outbox/outbox'
import { publishBatch, type PublishedEvent } from '#events/feed/publish'

const service = useTestService()
let schema: string
beforeAll(async () => {
  schema = (await service.appContext.models.get(service.workspaceId)).schema
})
beforeEach(async () => void (await service.events()))

/** Appends an event for each time, in seconds, without publishing it. The event names its list by the time. */
async function append(table: string, times: readonly number[]): Promise<void> {
  const columns = table === 'relata.outbox' ? 'workspace_id, occurred_at, actor, events' : 'occurred_at, actor, events'
  const workspace = table === 'relata.outbox' ? `'${service.workspaceId}',` : ''
  await service.db.sql.unsafe(
    `insert into ${table} (${columns})
     select ${workspace} to_timestamp(t), 0, json_build_array(json_build_object('event_type', 'list.created',
       'id', json_build_object('list_id', t::text), 'text', repeat('x', 2000)))
     from unnest($1::text::int[]) with ordinality as u(t, nth) order by nth`,
    [`{${times.join(',')}}`],
  )
}

/** The batches in which the events are published, each as the times of its events. */
async function publishAll(): Promise<number[][]> {
  outboxWriterOf(service.db).unpublished.add(service.workspaceId)
  const batches: number[][] = []
  const keep = async (_: unknown, events: readonly PublishedEvent[]) =>
    void batches.push(events.map(({ body }) => Number(body.id.list_id)))
  while ((await publishBatch(service.db, service.appContext.now, keep)) > 0);
  return batches
}

describe('the events of a workspace', () => {
  test('are in the order in which the requests were answered', async () => {
    const person = (await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })).body.data
    const note = {
      parent_object: 'people',
      parent_record_id: person.id.record_id,
      title: 'n',
      format: 'plaintext',
      content: '',
    }
    await service.request('POST', '/v2/notes', { data: note })
    const values = { job_title: 'Engineer' }
    await service.request('PATCH', `/v2/objects/people/records/${person.id.record_id}`, { data: { values } })
    const task = { content: 't', deadline_at: null, is_completed: false, linked_records: [], assignees: [] }
    await service.request('POST', '/v2/tasks', { data: { ...task, format: 'plaintext' } })
    await service.request('DELETE', `/v2/objects/people/records/${person.id.record_id}`)
    const types = (await service.events()).map(({ event_type }) => event_type)
    expect(types).toEqual(['record.created', 'note.created', 'record.updated', 'task.created', 'record.deleted'])
  })

  test('are ordered by time, and those of one outbox by their ids', async () => {
    await append(`${schema}.outbox`, [10, 40, 30, 60])
    await append('relata.outbox', [20, 35, 50])
    expect(await publishAll()).toEqual([[10, 20, 35, 40, 30, 50, 60]])
  })

  const evens = Array.from({ length: 700 }, (_, index) => 2 * index)
  const cases: [string, readonly number[], readonly number[]][] = [
    ['of both', evens, evens.map((time) => time + 1)],
    ['of the control tables', [5, 900, 2000], evens],
    ['of the workspace', evens, [5, 901, 2001]],
    ['of the workspace alone', evens, []],
  ]
  test.each(cases)('are in order over several batches, when the outbox %s has many', async (_, own, control) => {
    await append(`${schema}.outbox`, own)
    await append('relata.outbox', control)
    const batches = await publishAll()
    expect(batches.length).toBeGreaterThan(1)
    expect(batches.flat()).toEqual([...own, ...control].toSorted((a, b) => a - b))
  })

  test('are published although those of another workspace cannot be', async () => {
    const broken = await service.anotherWorkspace()
    const { schema: hidden } = await service.appContext.models.get(broken.workspaceId)
    const { unpublished } = outboxWriterOf(service.db)
    await service.db.sql.unsafe(`alter table ${hidden}.outbox rename to moved`)
    unpublished.add(broken.workspaceId)
    await append(`${schema}.outbox`, [1])
    await append('relata.outbox', [2])
    await expect(publishAll()).rejects.toThrow('does not exist')
    await expect(publishAll()).rejects.toThrow('does not exist')
    expect(await publishAll()).toEqual([[1, 2]])
    await service.db.sql.unsafe(`alter table ${hidden}.moved rename to outbox`)
  })

  test('that the transaction of a batch did not commit are published by the next one', async () => {
    await append(`${schema}.outbox`, [1, 2])
    outboxWriterOf(service.db).unpublished.add(service.workspaceId)
    const fails = publishBatch(service.db, service.appContext.now, () => Promise.reject(new Error('killed')))
    await expect(fails).rejects.toThrow('killed')
    expect(await publishAll()).toEqual([[1, 2]])
    expect(await service.db.sql.unsafe(`select from ${schema}.outbox`)).toHaveLength(0)
  })
})
