/**
 * What reads or writes many records hides what a member may not see: aggregates, jobs, batches, the trash, merges and assistants.
 * See docs/access.md (Access to objects).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '#access/tokens/tokens'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { attributeInput } from '#testing/attributes'
import { usePerson, useTestService } from '#testing/use-service'

const PEOPLE = '/v2/objects/people/records'
const VAULTS = '/v2/objects/vaults/records'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
/** A key that the member authorised. */
let key: string
let vault: string
/** Two people; `mixed` of both refers to the vault. */
let people: string[]
beforeAll(async () => {
  const root = `/console/api/workspaces/${service.workspaceId}`
  await service.appContext.models.reload(service.workspaceId)
  const nouns = { singular_noun: 'Vault', plural_noun: 'Vaults' }
  await send('POST', '/v2/objects', { api_slug: 'vaults', ...nouns })
  await send('POST', '/v2/objects/vaults/attributes', attributeInput({ api_slug: 'name' }))
  const config = (...allowed_objects: string[]) => ({ config: { record_reference: { allowed_objects } } })
  for (const [api_slug, ...objects] of [
    ['mixed', 'vaults', 'companies'],
    ['only', 'vaults'],
  ] as const)
    // prettier-ignore
    await send('POST', '/v2/objects/people/attributes', { ...attributeInput({ api_slug, type: 'record-reference' }), ...config(...objects) })
  vault = (await send('POST', VAULTS, { values: { name: 'Gold' } })).id.record_id
  const reference = { target_object: 'vaults', target_record_id: vault }
  people = []
  for (const name of ['One, A', 'Two, B'])
    people.push((await send('POST', PEOPLE, { values: { name, mixed: reference, only: reference } })).id.record_id)
  expect((await admin.ask('PUT', `${root}/objects/vaults/access`, { members: 'hidden', teams: [] })).status).toBe(200)
  const { db, appContext, workspaceId } = service
  const authorizedBy = member.memberIds[workspaceId] ?? ''
  const input = { workspaceId, name: 'Key', scopes: READ_WRITE_SCOPES, authorizedBy, now: appContext.now() }
  key = (await createToken(db, input)).token
  await appContext.models.reload(workspaceId)
})

async function send(method: string, path: string, data: unknown) {
  const { status, body } = await service.request(method, path, { data })
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${body.message}`)
  return body.data
}
const asMember = (method: string, path: string, body?: unknown) => service.request(method, path, body, { key })
const textOf = (answer: { status: number; body: unknown }) => `${answer.status} ${JSON.stringify(answer.body)}`

describe('aggregates', () => {
  const aggregates = [{ attribute: 'mixed', function: 'filled' }, { attribute: 'mixed', function: 'empty' }] // prettier-ignore

  test('200: a reference to a hidden record counts as absent, in figures and in groups', async () => {
    const body = { aggregates, group_by: 'mixed' }
    const seen = (await service.request('POST', `${PEOPLE}/aggregate`, body)).body.data
    expect(seen.aggregates.map(({ value }: { value: number }) => value)).toEqual([2, 0])
    const answer = await asMember('POST', `${PEOPLE}/aggregate`, body)
    expect(answer.body.data.aggregates.map(({ value }: { value: number }) => value)).toEqual([0, 2])
    expect(answer.body.data.groups).toHaveLength(1)
    expect(textOf(answer)).not.toContain(vault)
  })

  test('400 and 404 as for an attribute and an object that do not exist', async () => {
    for (const body of [
      { group_by: 'only' },
      { aggregates: [{ attribute: 'only', function: 'filled' }] },
      { filter: { only: { $not_empty: true } } },
      { filter: { path: [['people', 'mixed'], ['vaults', 'name']], constraints: { $eq: 'Gold' } } }, // prettier-ignore
    ]) {
      const answer = await asMember('POST', `${PEOPLE}/aggregate`, body)
      expect([answer.status, textOf(answer).includes('Gold')]).toEqual([400, false])
    }
    expect((await asMember('POST', `${VAULTS}/aggregate`, {})).status).toBe(404)
    expect((await asMember('POST', `${VAULTS}/status-history`, { attribute: 'x' })).status).toBe(404)
  })
})

test('a job finds no record by a hidden reference', async () => {
  const operation = { op: 'update', values: { job_title: 'x' } }
  const filter = { mixed: { target_record_id: { $eq: vault } } }
  const job = await asMember('POST', `${PEOPLE}/bulk?dry_run=true`, { data: { filter, operation } })
  expect([job.status, job.body.data?.total]).toEqual([202, 0])
  const only = { filter: { only: { $not_empty: true } }, operation }
  expect((await asMember('POST', `${PEOPLE}/bulk`, { data: only })).status).toBe(400)
  expect((await asMember('POST', `${VAULTS}/bulk`, { data: { filter: {}, operation } })).status).toBe(404)
})

test('an export has neither a hidden attribute nor a hidden reference', async () => {
  for (const format of ['csv', 'ndjson']) {
    const answer = await asMember('GET', `${PEOPLE}/export?format=${format}`)
    expect([answer.status, textOf(answer).includes(vault), textOf(answer).includes('"only"')]).toEqual([
      200,
      false,
      false,
    ])
    expect((await asMember('GET', `${PEOPLE}/export?format=${format}&attributes=only`)).status).toBe(400)
    expect((await asMember('GET', `${VAULTS}/export?format=${format}`)).status).toBe(404)
  }
})

test('a batch answers without hidden references, and reaches no hidden record', async () => {
  const operations = [
    { op: 'update', record_id: people[0], values: { job_title: 'x' } },
    { op: 'update', record_id: vault, values: { job_title: 'x' } },
    { op: 'delete', record_id: vault },
    { op: 'update', record_id: people[0], values: { only: null } },
    { op: 'update', record_id: people[1], values: { mixed: { target_object: 'vaults', target_record_id: vault } } },
  ]
  const answer = await asMember('POST', `${PEOPLE}/batch`, { data: { operations } })
  const statuses = answer.body.data.results.map(({ status }: { status: number }) => status)
  expect(statuses).toEqual([200, 404, 404, 400, 400])
  expect(JSON.stringify(answer.body.data.results[0])).not.toContain(vault)
  expect((await asMember('POST', `${VAULTS}/batch`, { data: { operations } })).status).toBe(404)
})

test('a merge and its preview show no hidden reference, and keep it', async () => {
  const made: string[] = []
  for (const name of ['Three, C', 'Four, D']) {
    const reference = { target_object: 'vaults', target_record_id: vault }
    made.push((await send('POST', PEOPLE, { values: { name, mixed: reference } })).id.record_id)
  }
  const ids = { primary_record_id: made[0], secondary_record_id: made[1] }
  const root = `/console/api/workspaces/${service.workspaceId}`
  const preview = await member.ask('POST', `${root}/merge-previews`, { object: 'people', ...ids })
  expect([preview.status, textOf(preview).includes(vault)]).toEqual([200, false])
  const merged = await asMember('POST', `${PEOPLE}/merge`, { data: ids })
  expect(merged.status).toBe(200)
  const path = `${PEOPLE}/${merged.body.data.new_record_id}`
  expect(textOf(await asMember('GET', path))).not.toContain(vault)
  expect(textOf(await service.request('GET', path))).toContain(vault)
})

test('views have no columns of hidden records', async () => {
  const views = '/v2/objects/people/views'
  const data = { title: 'A view', type: 'table', visible_attributes: ['mixed.domains', 'mixed.categories'] }
  const shown = (await send('POST', views, data)).visible_attributes
  const hidden = `mixed.${(await service.request('GET', '/v2/objects/vaults/attributes/name')).body.data.id.attribute_id}`
  const { id } = await send('POST', views, {
    ...data,
    visible_attributes: ['mixed.domains', hidden, 'mixed.categories'],
  })
  const view = await asMember('GET', `${views}/${id.view_id}`)
  expect([view.status, view.body.data.visible_attributes]).toEqual([200, shown])
  const refused = await asMember('POST', views, { data: { ...data, visible_attributes: [hidden] } })
  expect([refused.status, refused.body.code]).toEqual([400, 'value_not_found'])
})

test('the trash of a hidden object is absent, and a restored record keeps its hidden references', async () => {
  for (const id of [vault, people[0]]) {
    const object = id === vault ? VAULTS : PEOPLE
    expect((await service.request('DELETE', `${object}/${id}`)).status).toBe(200)
  }
  for (const path of [`${VAULTS}/trash`, `${PEOPLE}/${vault}`, `${VAULTS}/${vault}`])
    expect([path, (await asMember('GET', path)).status]).toEqual([path, 404])
  for (const object of [VAULTS, PEOPLE]) {
    expect((await asMember('POST', `${object}/${vault}/restore`)).status).toBe(404)
    expect((await asMember('DELETE', `${object}/${vault}?permanent=true`)).status).toBe(404)
  }
  expect(textOf(await asMember('GET', `${PEOPLE}/trash`))).not.toContain(vault)
  expect((await service.request('POST', `${VAULTS}/${vault}/restore`)).status).toBe(200)
  const restored = await asMember('POST', `${PEOPLE}/${people[0]}/restore`)
  expect([restored.status, textOf(restored).includes(vault)]).toEqual([200, false])
  expect(textOf(await service.request('GET', `${PEOPLE}/${people[0]}`))).toContain(vault)
})

test('no tool of assistants shows it', async () => {
  const call = async (name: string, args: object) => {
    const headers = { Accept: 'application/json, text/event-stream' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    return textOf(await service.request('POST', '/mcp', body, { key, headers }))
  }
  for (const [name, args] of [
    ['get_data_model', {}],
    ['get_data_model', { object: 'people' }],
    ['get_data_model', { object: 'vaults' }],
    ['query_records', { object: 'people' }],
    ['query_records', { object: 'vaults' }],
    ['query_records', { object: 'people', filter: { only: { $not_empty: true } } }],
    ['get_record', { object: 'people', record_id: people[0] }],
    ['get_record', { object: 'vaults', record_id: vault }],
    ['search_records', { query: 'Gold', objects: ['people', 'vaults'] }],
    ['update_record', { object: 'people', record_id: people[1], values: { job_title: 'y' } }],
    ['run_sql', { sql: 'select * from people' }],
    ['run_sql', { sql: 'select * from vaults' }],
  ] as const) {
    const sent = JSON.stringify(args)
    const text = await call(name, args)
    const shown = ['Gold', 'Vault', vault].filter((secret) => text.includes(secret) && !sent.includes(secret))
    expect([name, args, shown]).toEqual([name, args, []])
  }
  expect(await call('query_records', { object: 'people' })).toContain('B Two')
})
