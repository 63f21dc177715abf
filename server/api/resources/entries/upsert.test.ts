import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
beforeAll(async () => {
  list = await lists.listWith({
    note: {},
    code: { is_unique: true },
    mails: { type: 'email-address', is_multiselect: true },
  })
})

const entriesOf = async (record: string) => (await lists.ofRecord(record)).body.data

describe('PUT /v2/lists/{list}/entries', () => {
  test('200 with a new entry for a record without one, and with the same entry after that', async () => {
    const record = await lists.record()
    const first = await lists.upsert(list, record, { note: 'a', mails: ['a@example.com'] })
    const second = await lists.upsert(list, record, { mails: ['b@example.com'] })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.id).toEqual(first.body.data.id)
    const { note, mails } = second.body.data.entry_values
    expect([note[0].value, mails.map((value: { email_address: string }) => value.email_address)]).toEqual([
      'a',
      ['b@example.com'],
    ])
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
  })

  test('200 writes values_on_create only to a new entry, and entry_values override them', async () => {
    const record = await lists.record()
    const values = async (note: object) => {
      const { body } = await lists.upsert(list, record, note, {
        values_on_create: { note: 'only new', mails: ['c@example.com'] },
      })
      return [body.data.entry_values.note[0]?.value, body.data.entry_values.mails.length]
    }
    expect(await values({ note: 'given' })).toEqual(['given', 1])
    await lists.upsert(list, record, { note: 'changed', mails: [] })
    expect(await values({})).toEqual(['changed', 0])
  })

  test('200 for records with and without an entry, in any order', async () => {
    const own = await lists.list()
    await lists.attribute(own, 'note')
    await lists.attribute(own, 'wanted', { is_required: true })
    for (const isNew of [true, true, false, true, false, false, true]) {
      const record = await lists.record()
      const entry = isNew ? undefined : await lists.entry(own, record, { wanted: 'w' })
      const { status, body } = await lists.upsert(own, record, { note: 'n', ...(isNew ? { wanted: 'w' } : {}) })
      expect([status, body.data.entry_values.note[0].value]).toEqual([200, 'n'])
      if (entry !== undefined) expect(body.data.id.entry_id).toBe(entry)
      expect(await entriesOf(record)).toHaveLength(1)
    }
    expect((await lists.upsert(own, await lists.record(), { note: 'n' })).body.code).toBe('missing_value')
  })

  test('400 multiple_match_results when the record has several entries in the list', async () => {
    const record = await lists.record()
    await lists.entry(list, record)
    await lists.entry(list, record)
    const { status, body } = await lists.upsert(list, record, { note: 'x' })
    expect([status, body.code]).toEqual([400, 'multiple_match_results'])
    expect(body.message).toContain('Multiple entries')
  })

  test('200 for each list separately', async () => {
    const [record, another] = [await lists.record(), await lists.list()]
    await lists.upsert(list, record)
    expect((await lists.upsert(another, record)).status).toBe(200)
    expect(await entriesOf(record)).toHaveLength(2)
  })

  test('400 for an unknown parent, 404 for an unknown list', async () => {
    const missing = await lists.upsert(list, crypto.randomUUID())
    expect([missing.status, missing.body.code]).toEqual([400, 'value_not_found'])
    expect((await lists.upsert('nothing', crypto.randomUUID())).status).toBe(404)
  })

  test('200 for all of many concurrent requests, which write one entry for each record', async () => {
    const records = [await lists.record(), await lists.record(), await lists.record()]
    const answers = await Promise.all(
      records.flatMap((record) =>
        Array.from({ length: 8 }, (_, index) => lists.upsert(list, record, { note: `${index}` })),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const record of records) expect(await entriesOf(record)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.data.id.entry_id)).size).toBe(records.length)
  })

  test('200 updates the entry that was not deleted, then creates a new one', async () => {
    const record = await lists.record()
    const upserted = async () => (await lists.upsert(list, record)).body.data.id.entry_id
    const first = await upserted()
    const plain = await lists.entry(list, record)
    await lists.remove(list, first)
    expect(await upserted()).toBe(plain)
    await lists.remove(list, plain)
    const second = await upserted()
    expect([first, plain]).not.toContain(second)
    expect(await upserted()).toBe(second)
  })

  test('200 after a merge, for one entry or for a new one when both are deleted', async () => {
    const [primary_record_id, secondary_record_id] = [await lists.record(), await lists.record()]
    const entries = [primary_record_id, secondary_record_id].map(async (record) => {
      const { body } = await lists.upsert(list, record)
      return body.data.id.entry_id
    })
    const [one, other] = await Promise.all(entries)
    const data = { primary_record_id, secondary_record_id }
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', { data })
    const merged = body.data.new_record_id
    expect((await lists.upsert(list, merged)).body.code).toBe('multiple_match_results')
    await lists.remove(list, one)
    expect((await lists.upsert(list, merged)).body.data.id.entry_id).toBe(other)
    await lists.remove(list, other)
    const answers = await Promise.all(Array.from({ length: 4 }, () => lists.upsert(list, merged)))
    expect(new Set(answers.map(({ body }) => body.data.id.entry_id)).size).toBe(1)
    expect(await entriesOf(merged)).toHaveLength(1)
  })

  test('200 for all of many concurrent requests with one unique value for one record', async () => {
    const record = await lists.record()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => lists.upsert(list, record, { code: 'ours', note: `${index}` })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await entriesOf(record)).toHaveLength(1)
  })

  test('200 for one of two concurrent requests with one unique value for two records', async () => {
    const records = [await lists.record(), await lists.record()]
    const answers = await Promise.all(records.map((record) => lists.upsert(list, record, { code: 'one' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('an entry and its record are consistent after concurrent deletion and assertion', async () => {
    for (let round = 0; round < 5; round++) {
      const record = await lists.record()
      const writes = Array.from({ length: 4 }, () => lists.upsert(list, record))
      const remove = service.request('DELETE', `/v2/objects/people/records/${record}`)
      const answers = await Promise.all([...writes, remove])
      expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
      const { body } = await lists.query(list, { filter: { parent_record: record } })
      expect(body.data).toEqual([])
    }
  })

  test('no unique key remains without its entry', async () => {
    const model = await service.appContext.models.reload(service.workspaceId)
    const tables = model.entityTypes.filter(({ kind }) => kind === 'list').map(({ table }) => `select id from ${table}`)
    const left = `select * from w_1.uniques where entity_id not in (${tables.join(' union all ')})`
    expect([...(await service.db.sql.unsafe(left))]).toEqual([])
  })
})
