/** What members may do with an object that they may only read, and when a change of access takes effect. See docs/access.md. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createApp } from '../../../app'
import { createModelCache } from '#engine/data-model/cache'
import { attributeInput } from '#testing/attributes'
import { createClient } from '#testing/client'
import { input } from '#testing/comments'
import { listInput } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { meetingInput } from '#testing/meetings'
import { taskInput } from '#testing/tasks'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let root: string
let company: string
let person: string
beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
  await admin.ask('PATCH', root, { member_permissions: ['data_model'] })
  await service.appContext.models.reload(service.workspaceId)
  await send('POST', '/objects/companies/attributes', attributeInput({ api_slug: 'plan' }))
  company = await newRecord('companies', { name: 'Open' })
  person = await newRecord('people', { name: 'Ada Lovelace' })
})
beforeEach(() => set('read-only'))

async function set(members: string, object = 'companies'): Promise<void> {
  const answer = await admin.ask('PUT', `${root}/objects/${object}/access`, { members, teams: [] })
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
}

const ask = (by: Person, method: string, path: string, data?: unknown) =>
  by.ask(method, `/console/v2${path}`, data === undefined ? undefined : { data })

async function send(method: string, path: string, data: unknown, by = admin) {
  const { status, body } = await ask(by, method, path, data)
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${body.message}`)
  return body.data
}

const newRecord = async (object: string, values: object): Promise<string> =>
  (await send('POST', `/objects/${object}/records`, { values })).id.record_id

const values = (own: object) => ({ values: own })
const ofCompany = (path = '') => `/objects/companies/records/${company}${path}`

const WRITES: [name: string, method: string, path: () => string, data?: () => unknown][] = [
  ['a new record', 'POST', () => '/objects/companies/records', () => values({})],
  ['an upsert', 'PUT', () => '/objects/companies/records?matching_attribute=domains', () => values({ domains: ['x.com'] })], // prettier-ignore
  ['a change', 'PATCH', () => ofCompany(), () => values({ name: 'X' })],
  ['a replacement', 'PUT', () => ofCompany(), () => values({ name: 'X' })],
  [
    'the history of values',
    'PUT',
    () => ofCompany('/attributes/plan/values'),
    () => ({ values: [{ value: 'x', active_from: '2024-01-01', active_until: null }], replace_history: true }),
  ],
  ['a merge', 'POST', () => '/objects/companies/records/merge', () => ({ primary_record_id: company, secondary_record_id: company })], // prettier-ignore
  ['a deletion', 'DELETE', () => ofCompany()],
  ['a deletion for good', 'DELETE', () => ofCompany('?permanent=true')],
  ['a restoration', 'POST', () => ofCompany('/restore')],
  ['an attribute', 'POST', () => '/objects/companies/attributes', () => attributeInput()],
  ['a change of an attribute', 'PATCH', () => '/objects/companies/attributes/plan', () => ({ title: 'X' })],
  ['a deletion of an attribute', 'DELETE', () => '/objects/companies/attributes/plan'],
  ['the object', 'PATCH', () => '/objects/companies', () => ({ plural_noun: 'X' })],
  ['a view', 'POST', () => '/objects/companies/views', () => ({ title: 'X', type: 'table' })],
  ['the other side of its relationship', 'PATCH', () => `/objects/people/records/${person}`, () => values({ company })],
  ['a new record with the other side', 'POST', () => '/objects/people/records', () => values({ company })],
]

describe('an object that a member may only read', () => {
  test.each(WRITES)('403 for %s; another answer for an admin', async (_, method, path, data) => {
    const refused = await ask(member, method, path(), data?.())
    const message = 'Your access to object "companies" is read-only; this operation needs read-write access.'
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([403, 'unauthorized', message])
    // The deletions would take away what other cases need.
    if (method !== 'DELETE' && path() !== '/objects/companies')
      expect((await ask(admin, method, path(), data?.())).status).not.toBe(403)
  })

  test('403 for an import, and for its start', async () => {
    const headers = { ...member.headers, 'Content-Type': 'text/csv' }
    const upload = () =>
      service.request('POST', `${root}/imports?object=companies&file_name=x.csv`, 'Name\nA', { key: null, headers })
    expect((await upload()).status).toBe(403)
    await set('read-write')
    const { status, body } = await upload()
    expect(status).toBe(200)
    await set('hidden')
    expect((await member.ask('GET', `${root}/imports/${body.data.id}`)).status).toBe(404)
    expect((await member.ask('GET', `${root}/imports/${body.data.id}/problems`)).status).toBe(404)
  })

  test('200 for reading, for entries of its lists, and for notes, comments and tasks', async () => {
    expect((await ask(member, 'GET', ofCompany())).body.data.values.name[0].value).toBeString()
    const { api_slug } = await send('POST', '/lists', listInput({ parent_object: 'companies' }), member)
    const parent = { parent_object: 'companies', parent_record_id: company }
    await send('POST', `/lists/${api_slug}/entries`, { ...parent, entry_values: {} }, member)
    await send('POST', '/notes', { ...parent, title: 'x', format: 'plaintext', content: '' }, member)
    const author = input(member.memberIds[service.workspaceId] ?? '')
    await send('POST', '/comments', { ...author, record: { object: 'companies', record_id: company } }, member)
    const link = { target_object: 'companies', target_record_id: company }
    await send('POST', '/tasks', taskInput({ linked_records: [link] }), member)
  })
})

describe('a record with references to hidden records', () => {
  test('keeps them when a member appends, deletes and merges', async () => {
    await set('read-write')
    const plan = { record_reference: { allowed_objects: ['companies', 'people'] } }
    const type = { type: 'record-reference', is_multiselect: true, config: plan }
    await send('POST', '/objects/people/attributes', attributeInput({ api_slug: 'contacts', ...type }))
    const hidden = { target_object: 'companies', target_record_id: company }
    const [primary, secondary] = [await newRecord('people', { contacts: [hidden], company }), await newRecord('people', {})] // prettier-ignore
    await set('hidden')
    const own = { target_object: 'people', target_record_id: person }
    const path = `/objects/people/records/${primary}`
    const { values: shown } = await send('PATCH', path, { values: { contacts: [own] } }, member)
    expect([shown.contacts.length, shown.company]).toEqual([1, undefined])
    const merge = { primary_record_id: primary, secondary_record_id: secondary }
    const { body } = await ask(member, 'POST', '/objects/people/records/merge', merge)
    const merged = (await ask(admin, 'GET', `/objects/people/records/${body.data.new_record_id}`)).body.data.values
    expect([merged.contacts.length, merged.company[0].target_record_id]).toEqual([2, company])
    const of = { target_object: 'people', target_record_id: body.data.new_record_id }
    const other = (await send('POST', '/tasks', taskInput({ linked_records: [hidden, of] }))).id.task_id
    const changed = await send('PATCH', `/tasks/${other}`, { linked_records: [] }, member)
    expect(changed.linked_records).toEqual([])
    expect((await ask(admin, 'GET', `/tasks/${other}`)).body.data.linked_records).toHaveLength(1)
    const links = [{ object: 'companies', record_id: company }, { object: 'people', record_id: body.data.new_record_id }] // prettier-ignore
    const { id: meeting } = await send('POST', '/meetings', meetingInput({ linked_records: links }))
    const unlinked = await send('PUT', `/meetings/${meeting.meeting_id}`, { linked_records: [] }, member)
    expect(unlinked.linked_records).toEqual([])
    expect((await ask(admin, 'GET', `/meetings/${meeting.meeting_id}`)).body.data.linked_records).toHaveLength(1)
    expect((await ask(member, 'DELETE', `/objects/people/records/${body.data.new_record_id}`)).status).toBe(200)
    const { values: left } = (await ask(admin, 'GET', ofCompany())).body.data
    expect(JSON.stringify(left.team)).not.toContain(body.data.new_record_id)
  })
})

describe('a change of access', () => {
  test('takes effect with the next request in another process', async () => {
    const models = await createModelCache(service.db)
    const other = createClient(createApp({ ...service.appContext, models }), '')
    const headers = { ...member.headers, 'X-Workspace': service.workspaceId }
    const read = async () => (await other('GET', `/console/v2${ofCompany()}`, undefined, { key: null, headers })).status
    for (const [access, status] of [
      ['read-write', 200],
      ['hidden', 404],
      ['read-only', 200],
    ] as const) {
      // prettier-ignore
      await set(access)
      expect([access, await read()]).toEqual([access, status])
    }
    await models.close()
  })

  test('ends writes that began before it: each is done or refused, and none after it is done', async () => {
    await set('read-write')
    let isHidden = false
    let count = 0
    const write = async () => {
      const began = isHidden
      const { status } = await ask(member, 'PATCH', ofCompany(), values({ name: `Name ${++count}` }))
      expect([began, status]).toEqual([began, began ? 404 : status])
      expect([200, 404]).toContain(status)
    }
    const writes = Array.from({ length: 20 }, async () => {
      for (let each = 0; each < 3; each++) await write()
    })
    await set('hidden')
    isHidden = true
    await Promise.all([...writes, write()])
  })
})
