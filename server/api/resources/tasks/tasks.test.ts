/** See docs/reference/tasks.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient, taskIdOf, taskInput } from '#testing/tasks'

const service = useTestService()
const tasks = taskClient(service)
const records = listClient(service)
let person: string
let company: string
let thing: string
let suspended: string

beforeAll(async () => {
  person = await records.record('people', { email_addresses: ['grace@example.com'] })
  company = await records.record('companies', { domains: ['example.org'] })
  const object = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
  await service.request('POST', '/v2/objects', { data: object })
  thing = await records.record('things')
  const { db, workspaceId, appContext } = service
  const member = { first_name: 'Gone', last_name: 'Away', email_address: 'gone@example.com', account_id: null }
  suspended = (await createMember(db, workspaceId, { ...member, access_level: 'suspended' }, appContext.now())).id
  await appContext.models.reload(workspaceId)
})

const assignee = (id: string) => ({ referenced_actor_type: 'workspace-member', referenced_actor_id: id })
const link = (target_object: string, target_record_id: string) => ({ target_object, target_record_id })
const shownLink = (target_object_id: string, target_record_id: string) => ({ target_object_id, target_record_id })

describe('POST /v2/tasks', () => {
  test('200 with all members, which GET answers too', async () => {
    const { status, body, headers } = await tasks.create({
      deadline_at: '2030-01-31',
      linked_records: [link('people', person), link('things', thing)],
      assignees: [assignee(service.member.id)],
    })
    expect(status).toBe(200)
    const { id, created_at, created_by_actor, ...others } = body.data
    expect(id).toEqual({ workspace_id: service.workspaceId, task_id: id.task_id })
    expect(created_by_actor.type).toBe('api-token')
    expect(created_at).toMatch(/^\d{4}-.*\.\d{9}Z$/)
    expect(others).toEqual({
      content_plaintext: 'Call back',
      deadline_at: '2030-01-31T00:00:00.000000000Z',
      is_completed: false,
      completed_at: null,
      linked_records: [shownLink('people', person), shownLink('things', thing)],
      assignees: [assignee(service.member.id)],
    })
    const read = await tasks.get(id.task_id.toUpperCase())
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')])
  })

  test('200 with a deadline to the nanosecond and a time of completion', async () => {
    const { body } = await tasks.create({ deadline_at: '2030-01-31T10:00:00.123456789+02:00', is_completed: true })
    const { deadline_at, is_completed, completed_at, created_at } = body.data
    expect(deadline_at).toBe('2030-01-31T08:00:00.123456789Z')
    expect([is_completed, completed_at]).toEqual([true, created_at])
    expect((await tasks.get(taskIdOf(body.data))).body).toEqual(body)
  })

  const linked: readonly (readonly [string, () => unknown, () => [string, string]])[] = [
    ['an id', () => link('person', person.toUpperCase()), () => ['people', person]],
    ['an email address', () => ({ target_object: 'people', email_addresses: ['Grace@example.com'] }), () => ['people', person]],
    ['a full domain', () => ({ target_object: 'companies', domains: [{ domain: 'example.org' }] }), () => ['companies', company]],
    ['a text with an email address', () => ' grace@example.com ', () => ['people', person]],
    ['a text with a domain', () => 'example.org', () => ['companies', company]],
    ['a text with the id of a record of a custom object', () => thing, () => ['things', thing]],
  ] // prettier-ignore
  test.each(linked)('200 with a record named by %s', async (_, input, expected) => {
    const { status, body } = await tasks.create({ linked_records: [input()] })
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data.linked_records).toEqual([shownLink(...expected())])
  })

  test('200 with each record and each member once, in the order of the body', async () => {
    const { email_address, id } = service.member
    const { body } = await tasks.create({
      linked_records: ['example.org', 'grace@example.com', company],
      assignees: [{ workspace_member_email_address: 'GONE@example.com' }, email_address, id, suspended],
    })
    expect(body.data.linked_records).toEqual([shownLink('companies', company), shownLink('people', person)])
    expect(body.data.assignees).toEqual([assignee(suspended), assignee(id)])
  })

  test('200 and 400 with many records named by unique values', async () => {
    const domains = Array.from({ length: 20 }, (_, index) => `linked${index}.com`)
    const companies = await Promise.all(domains.map((domain) => records.record('companies', { domains: [domain] })))
    const { body } = await tasks.create({ linked_records: [...domains.toReversed(), 'grace@example.com'] })
    const expected = [...companies.toReversed().map((id) => shownLink('companies', id)), shownLink('people', person)]
    expect(body.data.linked_records).toEqual(expected)
    const unknown = await tasks.create({ linked_records: [...domains, 'first.com', 'second@example.com'] })
    expect([unknown.body.code, unknown.body.message]).toEqual(['value_not_found', expect.stringContaining('first.com')])
  })

  const UNKNOWN = '11111111-1111-4111-8111-111111111111'
  const refused: readonly (readonly [string, object, string])[] = [
    ['an empty content', { content: '' }, 'validation_type'],
    ['a content of 2001 characters', { content: 'a'.repeat(2001) }, 'validation_type'],
    ['another format', { format: 'markdown' }, 'validation_type'],
    ['a deadline that is no date', { deadline_at: 'soon' }, 'validation_type'],
    ['a deadline that does not exist', { deadline_at: '2030-02-30' }, 'validation_type'],
    ['a very long deadline', { deadline_at: `2030-01-01T00:00:00.${'0'.repeat(1000)}Z` }, 'validation_type'],
    ['an unknown member', { assignees: [assignee(UNKNOWN)] }, 'value_not_found'],
    ['an unknown address of a member', { assignees: ['x@example.com'] }, 'value_not_found'],
    ['another kind of actor', { assignees: [{ ...assignee(UNKNOWN), referenced_actor_type: 'app' }] }, 'validation_type'],
    ['an unknown record', { linked_records: [link('people', UNKNOWN)] }, 'value_not_found'],
    ['an unknown record of any object', { linked_records: [UNKNOWN] }, 'value_not_found'],
    ['an unknown object', { linked_records: [link('nothing', UNKNOWN)] }, 'value_not_found'],
    ['an unknown domain', { linked_records: ['example.net'] }, 'value_not_found'],
    ['a text that is no domain', { linked_records: ['no domain'] }, 'validation_type'],
    ['a link without record', { linked_records: [{ target_object: 'people' }] }, 'validation_type'],
    ['an attribute that is not unique', { linked_records: [{ target_object: 'people', name: ['Ada'] }] }, 'matching_attribute_definition_not_unique'],
    ['1001 links', { linked_records: Array.from({ length: 1001 }, () => UNKNOWN) }, 'validation_type'],
  ] // prettier-ignore
  test.each(refused)('400 with %s', async (_, members, code) => {
    const { status, body } = await tasks.create(members as Record<string, unknown>)
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 for all members that are missing', async () => {
    const { status, body } = await service.request('POST', '/v2/tasks', { data: {} })
    expect(status).toBe(400)
    const missing = body.validation_errors.map(({ path }: { path: string[] }) => path.at(-1))
    expect(missing.toSorted()).toEqual(Object.keys(taskInput()).toSorted())
  })

  test('400 for a record of another object, and for a disabled object', async () => {
    expect((await tasks.create({ linked_records: [link('companies', person)] })).body.code).toBe('value_not_found')
    expect((await tasks.create({ linked_records: [link('deals', person)] })).status).toBe(400)
  })

  test('200 with the stored answer for the same idempotency key', async () => {
    const options = { headers: { 'Idempotency-Key': 'once' } }
    const first = await tasks.create({}, options)
    const second = await tasks.create({}, options)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('PATCH /v2/tasks/{task_id}', () => {
  test('200 replaces what is sent and keeps the rest', async () => {
    const { body: created } = await tasks.create({
      linked_records: [person],
      assignees: [service.member.id],
      deadline_at: '2030',
    })
    const id = taskIdOf(created.data)
    const { body } = await tasks.update(id, { linked_records: [company, person], assignees: [] })
    expect(body.data).toEqual({
      ...created.data,
      linked_records: [shownLink('companies', company), shownLink('people', person)],
      assignees: [],
    })
    expect((await tasks.update(id, { deadline_at: null })).body.data.deadline_at).toBeNull()
    expect((await tasks.get(id)).body.data).toEqual({ ...body.data, deadline_at: null })
  })

  test('200 completes a task once, and opens it again', async () => {
    const id = await tasks.task({ linked_records: [person] })
    const { completed_at } = (await tasks.update(id, { is_completed: true })).body.data
    expect(completed_at).toMatch(/Z$/)
    expect((await tasks.update(id, { is_completed: true })).body.data.completed_at).toBe(completed_at)
    const { body } = await tasks.update(id, { is_completed: false })
    expect([body.data.is_completed, body.data.completed_at]).toEqual([false, null])
  })

  test('200 ignores content without a format, and changes it with one', async () => {
    const id = await tasks.task()
    for (const content of ['New', '', 7]) {
      const { status, body } = await tasks.update(id, { content })
      expect([status, body.data.content_plaintext]).toEqual([200, 'Call back'])
    }
    const { body } = await tasks.update(id, { content: 'New', format: 'plaintext' })
    expect(body.data.content_plaintext).toBe('New')
    const refused = await tasks.update(id, { content: '', format: 'plaintext' })
    expect([refused.status, refused.body.validation_errors[0].path]).toEqual([400, ['data', 'content']])
  })

  test('200 keeps suspended members as assignees', async () => {
    const id = await tasks.task({ assignees: [suspended] })
    const { body } = await tasks.update(id, { assignees: [suspended, service.member.id] })
    expect(body.data.assignees).toEqual([assignee(suspended), assignee(service.member.id)])
  })

  test('200 without a change for no member to change, 404 for an unknown task', async () => {
    const { body: before } = await tasks.create()
    const id = taskIdOf(before.data)
    await service.events()
    for (const data of [{}, { format: 'plaintext' }, { unknown: 1 }]) {
      const { status, body, headers } = await tasks.update(id, data)
      expect([status, body, headers.get('etag')]).toEqual([200, before, '"1"'])
    }
    expect(await service.events()).toEqual([])
    expect((await tasks.update('11111111-1111-4111-8111-111111111111', {})).status).toBe(404)
  })

  test('400 for what POST refuses', async () => {
    const id = await tasks.task()
    for (const data of [{ assignees: ['x@example.com'] }, { linked_records: ['example.net'] }, { deadline_at: 'x' }])
      expect((await tasks.update(id, data)).status).toBe(400)
  })

  test('412 for another version than If-Match names', async () => {
    const { body, headers } = await tasks.create()
    const id = taskIdOf(body.data)
    const options = { headers: { 'If-Match': headers.get('etag') ?? '' } }
    const changed = await tasks.update(id, { is_completed: true }, options)
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
    expect((await tasks.update(id, { is_completed: false }, options)).status).toBe(412)
    expect((await tasks.remove(id, options)).status).toBe(412)
  })
})

describe('DELETE /v2/tasks/{task_id}', () => {
  test('200 once, 404 from then on', async () => {
    const id = await tasks.task({ linked_records: [person] })
    expect((await tasks.remove(id)).body).toEqual({})
    for (const answer of [
      await tasks.get(id),
      await tasks.remove(id),
      await tasks.update(id, { is_completed: true }),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([404, `Could not find Task with ID "${id}".`])
    }
  })

  test('404 for a task of another workspace, 400 for what is no id', async () => {
    const { key } = await service.anotherWorkspace()
    const id = await tasks.task()
    const options = { key }
    expect((await tasks.get(id, options)).status).toBe(404)
    expect((await tasks.update(id, { is_completed: true }, options)).status).toBe(404)
    expect((await tasks.remove(id, options)).status).toBe(404)
    expect((await tasks.list('', options)).body.data).toEqual([])
    expect((await tasks.create({ linked_records: [person] }, options)).status).toBe(400)
    expect((await tasks.get('x')).status).toBe(400)
  })
})
