/** See docs/reference/comments.md (Comments, Resolving, Events). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { commentClient, input, memberNamed, onEntry, onRecord, useCommentSubjects } from '#testing/comments'
import { checkEvent } from '#testing/contract'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { MAX_THREAD_BYTES } from '#crm/comments/store'
import { MAX_CONTENT } from './schemas'

const NOTHING = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const comments = commentClient(service)
const on = useCommentSubjects(service)
let bob: string
beforeAll(async () => {
  await service.db.sql`update relata.objects set is_enabled = false where standard_slug = 'users'`
  bob = await memberNamed(service, 'bob@example.com', 'suspended')
})

const idOf = (comment: { id: { comment_id: string } }): string => comment.id.comment_id

describe('POST /v2/comments', () => {
  test('200 on a record, which starts a thread', async () => {
    const data = await comments.comment(onRecord(on.record))
    expect(data).toEqual({
      id: { workspace_id: service.workspaceId, comment_id: expect.any(String) },
      thread_id: expect.any(String),
      content_plaintext: 'A comment',
      entry: null,
      record: { record_id: on.record, object_id: expect.any(String) },
      resolved_at: null,
      resolved_by: { type: null, id: null },
      created_at: expect.stringMatching(/\d{9}Z$/),
      edited_at: null,
      author: { type: 'workspace-member', id: service.member.id },
    })
    expect((await comments.get(idOf(data))).body.data).toEqual(data)
  })

  test('200 on an entry, with its parent record', async () => {
    const data = await comments.comment(onEntry(on.list, on.entry))
    expect(data.entry).toEqual({ entry_id: on.entry, list_id: expect.any(String) })
    expect(data.record.record_id).toBe(on.record)
    expect((await comments.get(idOf(data))).body.data).toEqual(data)
  })

  test('200 by ids instead of slugs, in upper case', async () => {
    const { object_id } = (await service.request('GET', '/v2/objects/people')).body.data.id
    expect((await comments.create(onRecord(on.record.toUpperCase(), object_id.toUpperCase()))).status).toBe(200)
    const { list_id } = (await service.request('GET', `/v2/lists/${on.list}`)).body.data.id
    expect((await comments.create(onEntry(list_id, on.entry.toUpperCase()))).status).toBe(200)
  })

  test('200 as a reply, and on behalf of a suspended member', async () => {
    const { thread_id } = await comments.comment(onRecord(on.record))
    const reply = await comments.comment({ thread_id }, { author: { type: 'workspace-member', id: bob } })
    expect([reply.thread_id, reply.author.id]).toEqual([thread_id, bob])
  })

  test('200 with a time in the past, in which nanoseconds end', async () => {
    const { created_at } = await comments.comment(onRecord(on.record), { created_at: '1970-01-01' })
    expect(created_at).toBe('1970-01-01T00:00:00.000000000Z')
    const late = await comments.comment(onRecord(on.record), { created_at: '2024-02-29T12:00:00.123456789+02:00' })
    expect(late.created_at).toBe('2024-02-29T10:00:00.123456000Z')
  })

  test('200 with the present address of a mentioned member', async () => {
    const id = await memberNamed(service, 'before@example.com')
    const comment = await comments.comment(onRecord(on.record), { content: 'Ask before@example.com.' })
    await service.db.sql`update relata.workspace_members set email_address = 'after@example.com' where id = ${id}`
    await service.appContext.models.reload(service.workspaceId)
    const { content_plaintext } = (await comments.get(comment.id.comment_id)).body.data
    expect(content_plaintext).toBe('Ask after@example.com.')
  })

  test('200 with the largest content, as it was sent', async () => {
    const content = `${'😀'.repeat(100)}${'x'.repeat(MAX_CONTENT - 300)}\n @ a@b\u0001 `
    expect((await comments.comment(onRecord(on.record), { content })).content_plaintext).toBe(content)
  })

  const author = (id: string) => ({ author: { type: 'workspace-member', id } })
  const refused: [what: string, members: () => object, status: number, code: string][] = [
    ['without a subject', () => ({}), 400, 'validation_type'],
    ['with two subjects', () => ({ ...onRecord(on.record), ...onEntry(on.list, on.entry) }), 400, 'validation_type'],
    ['with a thread and a record', () => ({ ...onRecord(on.record), thread_id: NOTHING }), 400, 'validation_type'],
    ['in an unknown thread', () => ({ thread_id: NOTHING }), 400, 'value_not_found'],
    ['on an unknown record', () => onRecord(NOTHING), 400, 'value_not_found'],
    ['on a record of another object', () => onRecord(on.record, 'companies'), 400, 'value_not_found'],
    ['on an unknown object', () => onRecord(on.record, 'nothing'), 400, 'value_not_found'],
    ['on a disabled object', () => onRecord(on.record, 'users'), 400, 'standard_object_disabled'],
    ['on an unknown entry', () => onEntry(on.list, NOTHING), 400, 'value_not_found'],
    ['in an unknown list', () => onEntry('nothing', on.entry), 400, 'value_not_found'],
    ['by an unknown author', () => ({ ...onRecord(on.record), ...author(NOTHING) }), 400, 'value_not_found'],
    ['by an author that is no id', () => ({ ...onRecord(on.record), ...author('x') }), 400, 'validation_type'],
    ['without content', () => ({ ...onRecord(on.record), content: '' }), 400, 'validation_type'],
    ['with long content', () => ({ ...onRecord(on.record), content: 'x'.repeat(10_001) }), 400, 'validation_type'],
    ['in another format', () => ({ ...onRecord(on.record), format: 'markdown' }), 400, 'validation_type'],
    ['before 1970', () => ({ ...onRecord(on.record), created_at: '1969-12-31T23:59:59Z' }), 400, 'validation_type'],
    ['in the future', () => ({ ...onRecord(on.record), created_at: '2100-01-01T00:00:00Z' }), 400, 'validation_type'],
    ['at no time', () => ({ ...onRecord(on.record), created_at: 'x' }), 400, 'validation_type'],
  ]
  test.each(refused)('refused %s', async (_, members, status, code) => {
    const { status: answered, body } = await comments.create({}, members())
    expect([answered, body.code, body.statusCode]).toEqual([status, code, status === 400 ? 400 : undefined])
  })

  test('400 with every problem of the body', async () => {
    const { body } = await service.request('POST', '/v2/comments', { data: {} })
    const paths = body.validation_errors.map(({ path }: { path: string[] }) => path.join('.'))
    expect(paths).toEqual(['data.format', 'data.content', 'data.author'])
  })

  test('a member at the console comments in their own name only', async () => {
    const admin = await signedIn(service)
    const post = (id = '') =>
      admin.ask('POST', '/console/v2/comments', { data: { ...input(id), ...onRecord(on.record) } })
    expect((await post(admin.memberIds[service.workspaceId])).status).toBe(200)
    expect((await post(service.member.id)).status).toBe(403)
  })

  test('a key with an Idempotency-Key comments once', async () => {
    const options = { headers: { 'Idempotency-Key': 'comment-1' } }
    const company = await listClient(service).record('companies')
    const once = await comments.create(onRecord(company, 'companies'), {}, options)
    const twice = await comments.create(onRecord(company, 'companies'), {}, options)
    expect(twice.body).toEqual(once.body)
    expect((await comments.threads(`object=companies&record_id=${company}`)).body.data).toHaveLength(1)
  })
})

describe('GET and DELETE /v2/comments/:comment_id', () => {
  test.each(['GET', 'DELETE'])('%s 404 for none, 400 for what is no id', async (method) => {
    expect((await service.request(method, `/v2/comments/${NOTHING}`)).status).toBe(404)
    expect((await service.request(method, '/v2/comments/x')).status).toBe(400)
  })

  test('DELETE 200 of a reply leaves the thread, of the head deletes it', async () => {
    const head = await comments.comment(onRecord(on.record))
    const { thread_id } = head
    const [first, second] = [await comments.comment({ thread_id }), await comments.comment({ thread_id })]
    expect((await comments.remove(idOf(first))).body).toEqual({})
    expect((await comments.remove(idOf(first))).status).toBe(404)
    expect((await comments.thread(thread_id)).body.data.comments).toEqual([head, second])
    expect((await comments.remove(idOf(head))).status).toBe(200)
    expect((await comments.thread(thread_id)).status).toBe(404)
    expect((await comments.get(idOf(second))).status).toBe(404)
    expect((await comments.create({ thread_id })).body.code).toBe('value_not_found')
  })

  test('DELETE of the head and replies at once leaves no part of the thread', async () => {
    const head = await comments.comment(onRecord(on.record))
    const { thread_id } = head
    await Promise.all([
      ...Array.from({ length: 5 }, () => comments.create({ thread_id })),
      comments.remove(idOf(head)),
      comments.remove(idOf(head)),
    ])
    const rows = await service.db.sql`select 1 from relata.comments where thread_id = ${thread_id}`
    expect([rows.length, (await comments.thread(thread_id)).status]).toEqual([0, 404])
  })
})

describe('PATCH /v2/comments/:comment_id', () => {
  test('200 resolves the thread, which all of its comments show', async () => {
    const head = await comments.comment(onRecord(on.record))
    const { thread_id } = head
    const reply = await comments.comment({ thread_id })
    const { status, body } = await comments.resolve(idOf(reply), true)
    expect([status, body.data.resolved_at]).toEqual([200, expect.stringMatching(/\d{9}Z$/)])
    expect(body.data.resolved_by.type).toBe('api-token')
    const { data } = (await comments.thread(thread_id)).body
    const { resolved_at, resolved_by } = body.data
    for (const each of data.comments) expect(each).toMatchObject({ resolved_at, resolved_by })
    expect((await comments.resolve(idOf(head), true)).body.data.resolved_at).toBe(resolved_at)
    expect((await comments.resolve(idOf(head), false)).body.data).toEqual(head)
  })

  test('200 edits the content, which says when; the same content changes nothing', async () => {
    const head = await comments.comment(onRecord(on.record))
    await service.events()
    const { status, body } = await comments.edit(idOf(head), 'Another')
    const edited = { ...head, content_plaintext: 'Another', edited_at: expect.stringMatching(/\d{9}Z$/) }
    expect([status, body.data]).toEqual([200, edited])
    expect((await comments.edit(idOf(head), 'Another')).body.data).toEqual(body.data)
    expect((await comments.get(idOf(head))).body.data).toEqual(body.data)
    const { data } = (await comments.threads(`object=people&record_id=${on.record}`)).body
    expect(data.at(-1).comments).toEqual([body.data])
    const { thread_id, record } = head
    expect(await service.events()).toMatchObject([
      { event_type: 'comment.updated', id: { comment_id: idOf(head) }, thread_id, ...record },
    ])
  })

  test('200 edits and resolves at once', async () => {
    const path = `/v2/comments/${idOf(await comments.comment(onRecord(on.record)))}`
    const { body } = await service.request('PATCH', path, { data: { content: 'Done', is_resolved: true } })
    expect(body.data).toMatchObject({ content_plaintext: 'Done', resolved_at: expect.any(String) })
  })

  test('an edit notifies the members whom only the new content mentions', async () => {
    const [eve, fay] = [await memberNamed(service, 'eve@example.com'), await memberNamed(service, 'fay@example.com')]
    const comment = await comments.comment(onRecord(on.record), { content: 'Ask eve@example.com' })
    await comments.edit(idOf(comment), 'Ask eve@example.com or fay@example.com')
    const notified = await service.db.sql`
      select member_id, kind from relata.notifications where comment_id = ${idOf(comment)} order by created_at`
    expect([...notified]).toEqual([
      { member_id: eve, kind: 'mention' },
      { member_id: fay, kind: 'mention' },
    ])
  })

  test('a member at the console edits only comments of their own, and resolves others', async () => {
    const admin = await signedIn(service)
    const own = { type: 'workspace-member', id: admin.memberIds[service.workspaceId] }
    const mine = await comments.comment(onRecord(on.record), { author: own })
    const other = await comments.comment(onRecord(on.record))
    const patch = (comment: { id: { comment_id: string } }, data: object) =>
      admin.ask('PATCH', `/console/v2/comments/${idOf(comment)}`, { data })
    expect((await patch(mine, { content: 'Mine' })).status).toBe(200)
    expect((await patch(other, { content: 'Not mine' })).status).toBe(403)
    expect((await patch(other, { is_resolved: true })).status).toBe(200)
    expect((await comments.get(idOf(other))).body.data.content_plaintext).toBe('A comment')
  })

  test('400 for more content than a thread may have', async () => {
    const head = await comments.comment(onRecord(on.record))
    await service.db.sql`
      update relata.comments set content = ${JSON.stringify(['x'.repeat(MAX_THREAD_BYTES - 4)])}::text::jsonb
      where id = ${idOf(head)}`
    const reply = await service.db.sql`
      insert into relata.comments (workspace_id, id, thread_id, author_id, content, created_at, record_id)
      select workspace_id, gen_random_uuid(), thread_id, author_id, '[]', created_at + interval '1 s', record_id
      from relata.comments where id = ${idOf(head)} returning id`
    expect((await comments.edit(reply[0]?.id, 'A longer text')).body.code).toBe('validation_type')
    expect((await comments.edit(idOf(head), 'A shorter text')).status).toBe(200)
  })

  test('400 for nothing to change or no boolean, 404 for none', async () => {
    const path = `/v2/comments/${idOf(await comments.comment(onRecord(on.record)))}`
    const patch = (data: object) => service.request('PATCH', path, { data })
    expect([(await patch({})).status, (await patch({ content: '' })).status]).toEqual([400, 400])
    expect((await patch({ content: 'x'.repeat(MAX_CONTENT + 1) })).status).toBe(400)
    expect((await patch({ is_resolved: 'yes' })).status).toBe(400)
    expect((await comments.resolve(NOTHING, true)).status).toBe(404)
    expect((await comments.resolve('x', true)).status).toBe(400)
  })
})

describe('change events', () => {
  test('name the comment, its thread and its subject, once for each change', async () => {
    await service.events()
    const head = await comments.comment(onEntry(on.list, on.entry))
    const { thread_id } = head
    const reply = await comments.comment({ thread_id })
    for (const isResolved of [true, true, false, false]) await comments.resolve(idOf(reply), isResolved)
    await comments.remove(idOf(reply))
    await comments.comment({ thread_id })
    await comments.remove(idOf(head))
    const events = await service.events()
    events.forEach(checkEvent)
    const said = events.map(({ event_type, id }) => [event_type, id.comment_id === idOf(head) ? 'head' : 'reply'])
    expect(said).toEqual([
      ['comment.created', 'head'],
      ['comment.created', 'reply'],
      ['comment.resolved', 'head'],
      ['comment.unresolved', 'head'],
      ['comment.deleted', 'reply'],
      ['comment.created', 'reply'],
      ['comment.deleted', 'head'],
    ])
    const { record, entry: of } = head
    for (const event of events) {
      expect(event).toMatchObject({ thread_id, ...record, ...of, actor: { type: 'api-token' } })
    }
  })

  test('name no list for a comment on a record', async () => {
    await service.events()
    await comments.comment(onRecord(on.record))
    expect(await service.events()).toMatchObject([{ record_id: on.record, list_id: null, entry_id: null }])
  })
})
