/** The entries of a record, and the effect of deleting and merging records on their entries. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let first: string
let second: string
beforeAll(async () => {
  first = await lists.list()
  second = await lists.list()
  await lists.attribute(first, 'code', { is_unique: true })
  await lists.attribute(second, 'friends', {
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: ['people'] } },
  })
})

const remove = (record: string) => service.request('DELETE', `/v2/objects/people/records/${record}`)
const merge = (primary_record_id: string, secondary_record_id: string) =>
  service.request('POST', '/v2/objects/people/records/merge', { data: { primary_record_id, secondary_record_id } })
const ids = async (record: string, query = '') =>
  (await lists.ofRecord(record, query)).body.data.map(({ entry_id }: { entry_id: string }) => entry_id)
const person = (target_record_id: string) => ({ target_object: 'people', target_record_id })

describe('GET /v2/objects/{object}/records/{record_id}/entries', () => {
  test('200 with the entries in all lists, the newest last, in pages', async () => {
    const record = await lists.record()
    const made = [
      await lists.entry(second, record),
      await lists.entry(first, record),
      await lists.entry(second, record),
    ]
    const { status, body } = await lists.ofRecord(record)
    expect(status).toBe(200)
    const [{ list_id, list_api_slug, entry_id, created_at }] = body.data
    const list = (await service.request('GET', `/v2/lists/${second}`)).body.data.id.list_id
    expect([list_id, list_api_slug, entry_id]).toEqual([list, second, made[0]])
    expect(created_at).toBe((await lists.get(second, made[0] ?? '')).body.data.created_at)
    expect(await ids(record)).toEqual(made)
    expect(await ids(record, '?limit=1&offset=1')).toEqual([made[1]])
  })

  test('404 for an unknown record, 400 for an invalid id or a limit above 1000', async () => {
    const record = await lists.record()
    const answers = [
      await lists.ofRecord(crypto.randomUUID()),
      await lists.ofRecord('x'),
      await lists.ofRecord(record, '?limit=1001'),
      await lists.ofRecord(record, '', 'nothing'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 400, 404])
  })
})

describe('DELETE /v2/objects/{object}/records/{record_id}', () => {
  test('200 deletes all entries of the record, with their unique values and history', async () => {
    const [record, another] = [await lists.record(), await lists.record()]
    const entries = [await lists.entry(first, record, { code: 'mine' }), await lists.entry(first, record)]
    const inSecond = await lists.entry(second, record)
    await lists.update('PATCH', first, entries[0] ?? '', { code: 'mine too' })
    const kept = await lists.entry(first, another, { code: 'kept' })
    expect((await remove(record)).status).toBe(200)
    for (const entry of entries) expect((await lists.get(first, entry)).status).toBe(404)
    expect((await lists.get(second, inSecond)).status).toBe(404)
    expect((await lists.get(first, kept)).status).toBe(200)
    expect((await lists.create(first, another, { code: 'mine too' })).status).toBe(200)
    expect(await service.db.sql`select from w_1.history where entity_id = any(${entries})`).toHaveLength(0)
  })

  test('200 ends the references of other entries to it, and their history shows them', async () => {
    const [record, friend] = [await lists.record(), await lists.record()]
    const entry = await lists.entry(second, record, { friends: [person(friend)] })
    expect((await remove(friend)).status).toBe(200)
    const { body } = await lists.get(second, entry)
    expect(body.data.entry_values.friends).toEqual([])
    const path = `/v2/lists/${second}/entries/${entry}/attributes/friends/values?show_historic=true`
    expect((await service.request('GET', path)).body.data).toHaveLength(1)
  })

  test('200 for a record that its own entry references', async () => {
    const record = await lists.record()
    await lists.entry(second, record, { friends: [person(record)] })
    expect((await remove(record)).status).toBe(200)
  })
})

describe('POST /v2/objects/{object}/records/merge', () => {
  test('200 makes the new record the parent of the entries of both, each with its values', async () => {
    const [primary, secondary] = [await lists.record(), await lists.record()]
    const entries = [await lists.entry(first, primary, { code: 'p' }), await lists.entry(first, secondary)]
    const before = await lists.get(first, entries[0] ?? '')
    const { body } = await merge(primary, secondary)
    const merged = body.data.new_record_id
    expect(await ids(merged)).toEqual(entries)
    const after = await lists.get(first, entries[0] ?? '')
    expect([after.body.data.parent_record_id, after.body.data.entry_values.code[0].value]).toEqual([merged, 'p'])
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await lists.upsert(first, merged)).body.code).toBe('multiple_match_results')
    expect((await lists.ofRecord(primary)).body.merged_into).toBe(merged)
  })

  test('200 moves references of entries to the new record', async () => {
    const [record, primary, secondary] = [await lists.record(), await lists.record(), await lists.record()]
    const entry = await lists.entry(second, record, { friends: [person(primary), person(secondary)] })
    const merged = (await merge(primary, secondary)).body.data.new_record_id
    const { friends } = (await lists.get(second, entry)).body.data.entry_values
    expect(friends.map((value: { target_record_id: string }) => value.target_record_id)).toEqual([merged])
  })

  test('200 keeps entries that are created during the merge', async () => {
    for (let round = 0; round < 5; round++) {
      const [primary, secondary] = [await lists.record(), await lists.record()]
      const writes = Array.from({ length: 4 }, () => lists.create(first, primary))
      const [{ body }, ...created] = await Promise.all([merge(primary, secondary), ...writes])
      const made = created.filter(({ status }) => status === 200).map(({ body }) => body.data.id.entry_id)
      expect((await ids(body.data.new_record_id)).toSorted()).toEqual(made.toSorted())
    }
  })
})

describe('DELETE /v2/objects/{object}', () => {
  test('200 also deletes the lists of its records', async () => {
    const attributes = attributeClient(service)
    const object = await attributes.object()
    const list = await lists.list({ parent_object: object })
    const record = await lists.record(object)
    await lists.create(list, record, {}, { parent_object: object })
    expect((await service.request('DELETE', `/v2/objects/${object}`)).status).toBe(200)
    expect((await service.request('GET', `/v2/lists/${list}`)).status).toBe(404)
  })
})
