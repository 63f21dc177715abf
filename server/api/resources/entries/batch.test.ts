import { beforeAll, describe, expect, test } from 'bun:test'
import { codeOf } from '#testing/answer-shapes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
beforeAll(async () => {
  list = await lists.listWith({ note: {}, code: { is_unique: true } })
})

const send = (operations: readonly object[], more: object = {}, of = list) =>
  service.request('POST', `/v2/lists/${of}/entries/batch`, { data: { operations, ...more } })
const of = (op: string, parent_record_id: string, entry_values: object, more: object = {}) => ({
  op,
  parent_object: 'people',
  parent_record_id,
  entry_values,
  ...more,
})

describe('POST /v2/lists/{list}/entries/batch', () => {
  test('200 with the result of each operation in order', async () => {
    const [one, two] = [await lists.record(), await lists.record()]
    await service.events()
    const { status, body } = await send([
      of('create', one, { note: '1', code: 'a' }),
      of('create', two, { note: '2' }),
      of('create', two, { code: 'a' }),
      of('create', crypto.randomUUID(), {}),
      of('create', two, {}, { parent_object: 'companies' }),
      of('create', two, { note: '\u001f' }),
      of('upsert', one, { note: '3' }),
      of('upsert', two, {}),
      { op: 'create', entry_values: {} },
      { op: 'delete', entry_id: crypto.randomUUID() },
    ])
    const codes = body.data.results.map(codeOf)
    expect([status, codes]).toEqual([
      200,
      [
        200,
        200,
        'uniqueness_conflict',
        'value_not_found',
        'validation_type',
        200,
        200,
        'multiple_match_results',
        'validation_type',
        'not_found',
      ],
    ])
    const [first, second, , , , , upserted] = body.data.results
    expect(upserted.data.id).toEqual(first.data.id)
    expect((await lists.get(list, second.data.id.entry_id)).body.data).toEqual(second.data)
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual([
      'list-entry.created',
      'list-entry.created',
      'list-entry.created',
      'list-entry.updated',
    ])
    const { body: later } = await send([
      { op: 'update', entry_id: second.data.id.entry_id, entry_values: { note: '4' } },
      { op: 'update', entry_id: first.data.id.entry_id, entry_values: { note: '5' }, parent_record_id: two },
      { op: 'delete', entry_id: first.data.id.entry_id },
      { op: 'update', entry_id: first.data.id.entry_id, entry_values: {} },
    ])
    expect(later.data.results.map(codeOf)).toEqual([200, 'immutable_value', 200, 'not_found'])
    expect(later.data.results[2].data).toEqual({ id: first.data.id })
  })

  test('400 for an atomic batch, which writes nothing', async () => {
    const record = await lists.record()
    const operations = [of('create', record, {}), of('create', record, { note: 5 })]
    const { status, body } = await send(operations, { atomic: true })
    expect([status, body.code, body.operation]).toEqual([400, 'validation_type', 1])
    expect((await lists.ofRecord(record)).body.data).toEqual([])
  })

  test('404 for an unknown list, 403 without the scope', async () => {
    const operations = [of('create', await lists.record(), {})]
    expect((await send(operations, {}, 'unknown')).status).toBe(404)
    const key = await service.keyWith(['list_entry:read', 'list_configuration:read'])
    const path = `/v2/lists/${list}/entries/batch`
    expect((await service.request('POST', path, { data: { operations } }, { key })).status).toBe(403)
  })
})
