import { describe, expect, test } from 'bun:test'
import type { ShownRecord } from '#testing/answer-shapes'
import { jobsOf } from '#testing/jobs'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
const jobs = jobsOf(service)

/** A list with a unique code and a note, and entries with these notes. Returns the path of its entries. */
async function seed(notes: readonly string[]): Promise<string> {
  const list = await lists.list()
  await lists.attribute(list, 'note')
  await lists.attribute(list, 'code', { is_unique: true })
  const record = await lists.record()
  for (const note of notes) await lists.entry(list, record, { note })
  return `/v2/lists/${list}/entries`
}

const notesOf = async (path: string) =>
  (await service.request('POST', `${path}/query`, {})).body.data.map(
    ({ entry_values }: { entry_values: ShownRecord['values'] }) => entry_values.note?.[0]?.value,
  )

describe('POST /v2/lists/{list}/entries/bulk', () => {
  test('202 and the job updates the entries of the filter', async () => {
    const path = await seed(['a', 'b', 'a'])
    await service.events()
    const job = await jobs.complete(path, { note: 'a' }, { op: 'update', entry_values: { note: 'c' } })
    expect(job).toMatchObject({ status: 'completed', total: 2, done: 2, object_id: null })
    expect(await notesOf(path)).toEqual(['c', 'b', 'c'])
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual([
      'list-entry.updated',
      'list-entry.updated',
    ])
  })

  test('202 and the job deletes the entries of the filter, not their records', async () => {
    const path = await seed(['a', 'b'])
    const job = await jobs.complete(path, { note: 'a' }, { op: 'delete' })
    expect(job).toMatchObject({ status: 'completed', done: 1 })
    expect(await notesOf(path)).toEqual(['b'])
  })

  test('errors name the entries', async () => {
    const path = await seed(['a', 'b'])
    const job = await jobs.complete(path, {}, { op: 'update', entry_values: { code: 'x' } })
    expect(job).toMatchObject({ done: 1, failed: 1, errors: [{ entry_id: expect.any(String) }] })
    expect(job.errors[0].error.code).toBe('uniqueness_conflict')
  })

  test('400 for the values of records, 404 for an unknown list, 403 for a list that may only be read', async () => {
    const path = await seed([])
    const send = (to: string, operation: object) =>
      service.request('POST', `${to}/bulk`, { data: { filter: {}, operation } })
    const { status, body } = await send(path, { op: 'update', values: { note: 'x' } })
    expect([status, body.validation_errors[0].path]).toEqual([400, ['data', 'operation', 'entry_values']])
    expect((await send('/v2/lists/unknown/entries', { op: 'delete' })).status).toBe(404)
    const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const readOnly = await lists.list({ workspace_access: 'read-only', workspace_member_access })
    const key = await service.keyWith(['list_entry:read-write', 'list_configuration:read'])
    const data = { filter: {}, operation: { op: 'delete' } }
    expect((await service.request('POST', `/v2/lists/${readOnly}/entries/bulk`, { data }, { key })).status).toBe(403)
  })

  test('the job fails when the list is deleted', async () => {
    const path = await seed(['a'])
    const id = await jobs.create(path, {}, { op: 'delete' })
    expect((await service.request('DELETE', path.replace('/entries', ''))).status).toBe(200)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'failed', failure: 'The list was deleted.' })
  })
})
