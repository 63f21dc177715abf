/** See docs/reference/jobs.md (Undo of an update). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { RECORDS, useJobTest } from '#testing/jobs'
import { listClient } from '#testing/lists'
import { deleteEndedJobs } from '#api/jobs/run/worker'

const { service, jobs, seed, find } = useJobTest()

beforeAll(async () => {
  for (const attribute of [
    { api_slug: 'tags', type: 'select', is_multiselect: true },
    { api_slug: 'next', type: 'record-reference', config: { record_reference: { allowed_objects: ['things'] } } },
  ])
    await service.request('POST', '/v2/objects/things/attributes', { data: attributeInput(attribute) })
  for (const title of ['Red', 'Blue'])
    await service.request('POST', '/v2/objects/things/attributes/tags/options', { data: { title } })
})

const undo = (id: string) => service.request('POST', `/v2/jobs/${id}/undo`)
const patch = (id: string, values: object) => service.request('PATCH', `${RECORDS}/${id}`, { data: { values } })
const valuesOf = async (set: string, slug: string) =>
  (await find({ set })).map(({ values }: { values: Record<string, Record<string, unknown>[]> }) =>
    (values[slug] ?? []).map(({ value, option }) => value ?? (option as { title: string }).title),
  )

/** Updates a set, undoes it, and returns the job of the undo. */
async function updateAndUndo(set: string, values: object, meanwhile: () => Promise<unknown> = async () => {}) {
  const { id } = await jobs.complete(RECORDS, { set }, { op: 'update', values, mode: 'overwrite' })
  await meanwhile()
  const { status, body } = await undo(id.job_id)
  expect([status, body.data.operation, body.data.undone_job_id]).toEqual([202, 'undo_update', id.job_id])
  await jobs.runAll()
  return { undone: id.job_id, job: await jobs.show(body.data.id.job_id) }
}

describe('POST /v2/jobs/{job_id}/undo', () => {
  test('202 and a job that puts values back, with a history, and empties what was empty', async () => {
    const ids = await seed('back', 120)
    for (const id of ids.slice(0, 60)) await patch(id, { note: 'before', tags: ['Red'] })
    const { undone, job } = await updateAndUndo('back', { note: 'new', tags: ['Blue'] })
    expect(job).toMatchObject({ status: 'completed', total: 120, done: 120, kept: 0, failed: 0 })
    const notes = (await valuesOf('back', 'note')).flat()
    expect([notes.length, new Set(notes)]).toEqual([60, new Set(['before'])])
    expect((await valuesOf('back', 'tags')).flat()).toEqual(Array.from({ length: 60 }, () => 'Red'))
    const path = `${RECORDS}/${ids[0]}/attributes/note/values?show_historic=true`
    const history = (await service.request('GET', path)).body.data
    expect(history.map(({ value }: { value: string }) => value).toSorted()).toEqual(['before', 'before', 'new'])
    const again = await undo(undone)
    expect([again.status, again.body.data.total]).toEqual([202, 0])
    await jobs.runAll()
  })

  test('leaves values that were changed since, records that were deleted, and records that had the value already', async () => {
    const [changed = '', deleted = '', same = '', other = ''] = await seed('since', 4)
    await patch(same, { note: 'new' })
    const { job } = await updateAndUndo('since', { note: 'new' }, async () => {
      await patch(changed, { note: 'newer' })
      await service.request('DELETE', `${RECORDS}/${deleted}`)
      await patch(other, { tags: ['Red'] })
    })
    expect(job).toMatchObject({ status: 'completed', total: 2, done: 1, kept: 1 })
    expect(job.errors).toMatchObject([
      { record_id: changed, error: { code: 'changed_since_import', status_code: 409 } },
    ])
    const notes = new Map(
      (await find({ set: 'since' })).map(
        ({ id, values }: { id: { record_id: string }; values: { note: [{ value: string }] } }) => [
          id.record_id,
          values.note[0]?.value,
        ],
      ),
    )
    expect(notes).toEqual(
      new Map([
        [changed, 'newer'],
        [same, 'new'],
        [other, undefined],
      ]),
    )
    expect((await valuesOf('since', 'tags')).flat()).toEqual(['Red'])
  })

  test('puts back references, of which each update changes other records', async () => {
    const [first = '', second = '', target = ''] = await seed('reference', 3)
    await patch(first, { next: second })
    const { job } = await updateAndUndo('reference', { next: target })
    expect(job).toMatchObject({ status: 'completed', done: 3 })
    const { body } = await service.request('GET', `${RECORDS}/${first}`)
    expect(body.data.values.next).toMatchObject([{ target_record_id: second }])
  })

  test('409 while the job runs, for a deletion, and for an undo; 404 for another job', async () => {
    await seed('refused', 1)
    const running = await jobs.create(RECORDS, { set: 'refused' }, { op: 'update', values: { note: 'x' } })
    expect((await undo(running)).body.code).toBe('job_running')
    await jobs.runAll()
    const undone = (await undo(running)).body.data.id.job_id
    await jobs.runAll()
    expect((await undo(undone)).body.code).toBe('job_not_undoable')
    const deletion = await jobs.complete(RECORDS, { set: 'refused' }, { op: 'delete' })
    expect((await undo(deletion.id.job_id)).body.code).toBe('job_not_undoable')
    expect((await undo('00000000-0000-4000-8000-000000000000')).status).toBe(404)
    const key = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    expect((await service.request('POST', `/v2/jobs/${running}/undo`, undefined, { key })).status).toBe(404)
  })

  test('202 for entries, which keep values that were changed since; what is stored is erased with them', async () => {
    const lists = listClient(service)
    const list = await lists.listWith({ note: {}, stage: { type: 'status' } })
    for (const title of ['First', 'Second'])
      await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title } })
    const path = `/v2/lists/${list}/entries`
    const entries: string[] = []
    for (const note of ['a', 'b', 'c', 'd'])
      entries.push(await lists.entry(list, await lists.record('people'), { note, stage: 'First' }))
    const [kept = '', changed = '', deleted = ''] = entries
    const entry_values = { note: 'new', stage: 'Second' }
    const { id } = await jobs.complete(path, {}, { op: 'update', entry_values, mode: 'overwrite' })
    await service.request('PATCH', `${path}/${changed}`, { data: { entry_values: { note: 'newer' } } })
    await service.request('DELETE', `${path}/${deleted}`)
    const { schema } = await service.appContext.models.get(service.workspaceId)
    const stored = await service.db.sql.unsafe(`select from ${schema}.import_updates where record_id = $1`, [deleted])
    expect(stored).toHaveLength(0)
    const { status, body } = await undo(id.job_id)
    expect([status, body.data.total]).toEqual([202, 3])
    await jobs.runAll()
    expect(await jobs.show(body.data.id.job_id)).toMatchObject({ status: 'completed', done: 2, kept: 1, failed: 0 })
    const show = async (entry: string) => {
      const { entry_values } = (await service.request('GET', `${path}/${entry}`)).body.data
      return [entry_values.note[0].value, entry_values.stage[0].status.title]
    }
    expect([await show(kept), await show(changed)]).toEqual([
      ['a', 'First'],
      ['newer', 'First'],
    ])

    const key = await service.keyWith(['list_entry:read-write', 'list_configuration:read'])
    const ofKey = await service.request('POST', `/v2/jobs/${id.job_id}/undo`, undefined, { key })
    const ofRecords = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    const other = await service.request('POST', `/v2/jobs/${id.job_id}/undo`, undefined, { key: ofRecords })
    expect([ofKey.status, other.status]).toEqual([404, 404])
  })

  test('202 for records of an activity', async () => {
    const data = { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits', extends: 'interactions' }
    expect((await service.request('POST', '/v2/activities', { data })).status).toBe(200)
    const attribute = { data: attributeInput({ api_slug: 'mood' }) }
    expect((await service.request('POST', '/v2/activities/visits/attributes', attribute)).status).toBe(200)
    const path = '/v2/activities/visits/records'
    const visit = async (mood: string) =>
      (await service.request('POST', path, { data: { values: { mood, timestamp: '2024-01-01T00:00:00Z' } } })).body.data
        .id.record_id
    const [first, second] = [await visit('calm'), await visit('new')]
    const { id } = await jobs.complete(path, {}, { op: 'update', values: { mood: 'new' }, mode: 'overwrite' })
    const { body } = await undo(id.job_id)
    await jobs.runAll()
    expect(await jobs.show(body.data.id.job_id)).toMatchObject({ status: 'completed', total: 1, done: 1 })
    const moodOf = async (record: string) =>
      (await service.request('GET', `${path}/${record}`)).body.data.values.mood[0].value
    expect([await moodOf(first), await moodOf(second)]).toEqual(['calm', 'new'])
  })

  test('what is stored for the undo is deleted with the job', async () => {
    await seed('old', 2)
    const { id } = await jobs.complete(RECORDS, { set: 'old' }, { op: 'update', values: { note: 'x' } })
    const { schema } = await service.appContext.models.get(service.workspaceId)
    const stored = () => service.db.sql.unsafe(`select from ${schema}.import_updates where import_id = $1`, [id.job_id])
    expect(await stored()).toHaveLength(2)
    await deleteEndedJobs(service.db, service.appContext.now() + 1_000_000, 1000)
    expect(await stored()).toHaveLength(0)
    expect((await undo(id.job_id)).status).toBe(404)
  })
})
