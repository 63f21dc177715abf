import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { notifyModelChange } from '#engine/data-model/change-model'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
let person: string
beforeAll(async () => {
  list = await lists.list({ api_slug: 'hiring' })
  await lists.attribute(list, 'note')
  await lists.attribute(list, 'code', { is_unique: true })
  await lists.attribute(list, 'mails', { type: 'email-address', is_multiselect: true })
  await lists.attribute(list, 'level', { type: 'number', default_value: { type: 'static', template: [3] } })
  await lists.attribute(list, 'stage', { type: 'status' })
  await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title: 'New' } })
  person = await lists.record()
})

describe('POST /v2/lists/{list}/entries', () => {
  test('200 with the values and default values of the attributes of the list, and with the parent record', async () => {
    const values = { note: 'Promising', mails: ['b@example.com', 'a@example.com'], stage: 'New' }
    const { status, body, headers } = await lists.create(list, person, values)
    expect(status).toBe(200)
    const { id, parent_record_id, parent_object, created_at, entry_values } = body.data
    expect([id.workspace_id, parent_record_id, parent_object]).toEqual([service.workspaceId, person, 'people'])
    expect(Object.keys(entry_values)).toEqual([
      'entry_id',
      'created_at',
      'created_by',
      'note',
      'code',
      'mails',
      'level',
      'stage',
    ])
    expect(entry_values.entry_id[0].value).toBe(id.entry_id)
    expect(entry_values.created_at[0].value).toBe(created_at)
    expect(entry_values.created_by[0].referenced_actor_type).toBe('api-token')
    expect(entry_values.mails.map((value: { email_address: string }) => value.email_address)).toEqual([
      'b@example.com',
      'a@example.com',
    ])
    expect([entry_values.level[0].value, entry_values.code, entry_values.stage[0].status.title]).toEqual([3, [], 'New'])
    const got = await lists.get(list, id.entry_id)
    expect([got.status, got.body, got.headers.get('etag')]).toEqual([200, body, headers.get('etag')])
  })

  test('200 with a new entry each time, for an object named by id or by an old alias', async () => {
    const again = await lists.record()
    await lists.entry(list, again)
    const { status } = await lists.create(list, again.toUpperCase(), {}, { parent_object: 'person' })
    expect(status).toBe(200)
    expect((await lists.ofRecord(again)).body.data).toHaveLength(2)
  })

  test('404 for an unknown list or entry, 400 for an entry id that is not a UUID', async () => {
    const entry = await lists.entry(list, person)
    const elsewhere = await lists.list()
    const answers = [
      await lists.create('nothing', person),
      await lists.get(list, crypto.randomUUID()),
      await lists.get(elsewhere, entry),
      await lists.get(list, 'x'),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
      [404, 'not_found'],
      [400, 'validation_type'],
    ])
  })

  const refused: [string, object, object, string, string][] = [
    ['an unknown parent record', {}, { parent_record_id: crypto.randomUUID() }, 'value_not_found', 'Parent record'],
    ['an object that is not the parent', {}, { parent_object: 'companies' }, 'validation_type', 'another object'],
    ['an unknown parent object', {}, { parent_object: 'nothing' }, 'validation_type', 'another object'],
    ['no values', {}, { entry_values: undefined }, 'validation_type', 'Required'],
    ['no parent', {}, { parent_record_id: undefined }, 'validation_type', 'Required'],
    ['an unknown attribute', { nothing: 1 }, {}, 'value_not_found', 'Cannot find attribute with slug/ID "nothing"'],
    ['an attribute of the parent', { name: 'x' }, {}, 'value_not_found', '"name"'],
    ['the parent as a value', { parent_record: 'x' }, {}, 'immutable_value', 'cannot be updated once created'],
    ['its own id', { entry_id: 'x' }, {}, 'immutable_value', '"entry_id"'],
    ['a creation time', { created_at: '2020-01-01' }, {}, 'immutable_value', '"created_at"'],
    ['a wrong kind of value', { mails: 'a@example.com' }, {}, 'validation_type', 'Body payload'],
    ['an unknown status', { stage: 'Old' }, {}, 'value_not_found', 'status option title "Old"'],
  ]
  test.each(refused)('400 for %s', async (_, values, more, code, message) => {
    const { status, body } = await lists.create(list, person, values, more)
    expect([status, body.code]).toEqual([400, code])
    expect(body.message).toContain(message)
  })

  test('400 with paths that begin at entry_values', async () => {
    const { body } = await lists.create(list, person, { mails: 'a@example.com' })
    expect(body.validation_errors[0].path).toEqual(['data', 'entry_values', 'mails'])
  })

  test('400 for a unique value of another entry of the list, naming that entry; 200 for one of another list', async () => {
    const first = await lists.entry(list, person, { code: 'A1' })
    const { status, body } = await lists.create(list, person, { code: 'A1' })
    expect([status, body.code, body.conflicting_record_ids]).toEqual([400, 'uniqueness_conflict', [first]])
    expect(body.message).toContain('Conflicting record IDs:')
    const another = await lists.list()
    await lists.attribute(another, 'code', { is_unique: true })
    expect((await lists.create(another, person, { code: 'A1' })).status).toBe(200)
  })

  test('400 without a required value', async () => {
    const strict = await lists.list()
    const { id } = await lists.attribute(strict, 'reason', { is_required: true })
    const { status, body } = await lists.create(strict, person)
    expect([status, body.code]).toEqual([400, 'missing_value'])
    expect(body.message).toContain(id.attribute_id)
  })

  test('400 for a parent record of a disabled object', async () => {
    const sales = await lists.list({ parent_object: 'workspaces' })
    await service.db.sql`update relata.objects set is_enabled = false where standard_slug = 'workspaces'`
    await service.db.sql.begin((tx) => notifyModelChange(tx, service.workspaceId))
    await service.appContext.models.reload(service.workspaceId)
    const { status, body } = await lists.create(sales, person, {}, { parent_object: 'workspaces' })
    expect([status, body.code]).toEqual([400, 'standard_object_disabled'])
  })
})

describe('attributes of lists', () => {
  test('400 for a relationship', async () => {
    const relationship = { object: 'people', title: 'Back', api_slug: 'back', is_multiselect: false }
    const data = { title: 'x', description: null, api_slug: 'forth', type: 'record-reference', relationship }
    const flags = { is_required: false, is_unique: false, is_multiselect: false, config: {} }
    const { status, body } = await service.request('POST', `/v2/lists/${list}/attributes`, {
      data: { ...data, ...flags },
    })
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test('400 for changes of system attributes', async () => {
    for (const slug of ['entry_id', 'parent_record', 'created_at', 'created_by']) {
      const path = `/v2/lists/${list}/attributes/${slug}`
      const { status, body } = await service.request('PATCH', path, { data: { title: 'x' } })
      expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
    }
  })

  test('200 also with the scope for objects, which an older contract required', async () => {
    const key = await service.keyWith(['object_configuration:read'])
    const path = `/v2/lists/${list}/attributes`
    expect((await service.request('GET', path, undefined, { key })).status).toBe(200)
    const { status, body } = await service.request('POST', path, {}, { key })
    expect([status, body.required_scopes]).toEqual([403, ['list_configuration:read-write']])
  })
})
