/** Who sees which items of the activity of a record. See docs/reference/activity.md (Who sees which items). */

import { beforeAll, expect, test } from 'bun:test'
import type { Scope } from '#vocabulary/scopes'
import { listClient } from '#testing/lists'
import { addEmails, emailFrom } from '#testing/emails'
import { meetingClient } from '#testing/meetings'
import type { TestService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const RECORDS: readonly Scope[] = ['record_permission:read', 'object_configuration:read']

const service = useTestService()
let record: string
let privateList: string
beforeAll(async () => {
  const lists = listClient(service)
  record = await lists.record()
  const open = await lists.list()
  const members = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  privateList = await lists.list({ workspace_access: null, workspace_member_access: members })
  for (const list of [open, privateList]) {
    await lists.attribute(list, 'stage', { type: 'status' })
    for (const title of ['New', 'Done'])
      await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title } })
    const entry = await lists.entry(list, record, { stage: 'New' })
    await lists.update('PATCH', list, entry, { stage: 'Done' })
    await lists.remove(list, await lists.entry(list, record))
  }
  await taskClient(service).task({ linked_records: [record], is_completed: true })
  await meetingClient(service).meeting({ linked_records: [{ object: 'people', record_id: record }] })
  await seedNotes(service, record)
})

async function textWith(scopes: readonly Scope[]): Promise<string> {
  const key = await service.keyWith(scopes)
  const { status, body } = await service.request('GET', `/v2/objects/people/records/${record}/activity`, undefined, {
    key,
  })
  expect(status).toBe(200)
  return JSON.stringify(body.data)
}
const kindsIn = (text: string) =>
  [
    ...new Set([...text.matchAll(/"type":"(record|entry|task|meeting|email|note|comment)\./g)].map(([, kind]) => kind)),
  ].toSorted()

test('the record alone for a key that reads records only', async () => {
  expect(kindsIn(await textWith(RECORDS))).toEqual(['record'])
})

test('entries need both scopes, and access to their list', async () => {
  for (const scope of ['list_entry:read', 'list_configuration:read'] as const)
    expect(kindsIn(await textWith([...RECORDS, scope]))).toEqual(['record'])
  const entries = [...RECORDS, 'list_entry:read', 'list_configuration:read'] as const
  const text = await textWith(entries)
  expect(kindsIn(text)).toEqual(['entry', 'record'])
  for (const type of ['added', 'moved', 'removed']) expect(text).toContain(`entry.${type}`)
  expect(text).not.toContain(privateList)
  expect(await textWith([...entries, 'private_collection:read'])).toContain(privateList)
})

test('tasks need the scope of tasks and of members', async () => {
  for (const scope of ['task:read', 'user_management:read'] as const)
    expect(kindsIn(await textWith([...RECORDS, scope]))).toEqual(['record'])
  expect(kindsIn(await textWith([...RECORDS, 'task:read', 'user_management:read']))).toEqual(['record', 'task'])
})

test('meetings need their scope', async () => {
  expect(kindsIn(await textWith([...RECORDS, 'meeting:read']))).toEqual(['meeting', 'record'])
})

test('emails need their scope', async () => {
  const values = { email_addresses: ['ada@relata.dev'] }
  const { body } = await service.request('POST', '/v2/objects/people/records', { data: { values } })
  await addEmails(service, [
    emailFrom('ada@relata.dev', '2020-01-01T10:00:00Z'),
    emailFrom('ada@relata.dev', '2020-01-02T10:00:00Z'),
  ])
  const path = `/v2/objects/people/records/${body.data.id.record_id}/activity?limit=1&type=email.sent`
  const without = await service.request('GET', path, undefined, { key: await service.keyWith(RECORDS) })
  expect(without.body.data).toEqual([])
  const key = await service.keyWith([...RECORDS, 'email:read'])
  const first = await service.request('GET', path, undefined, { key })
  const next = await service.request(
    'GET',
    `${path}&cursor=${encodeURIComponent(first.body.pagination.next_cursor)}`,
    undefined,
    { key },
  )
  const item = {
    type: 'email.sent',
    actor: { id: service.member.id },
    email: { direction: 'inbound', from: 'ada@relata.dev' },
  }
  expect([...first.body.data, ...next.body.data]).toMatchObject([
    { ...item, at: '2020-01-02T10:00:00.000000000Z' },
    { ...item, at: '2020-01-01T10:00:00.000000000Z' },
  ])
})

test('notes and comments need their scopes, comments on entries also access to the list', async () => {
  expect(kindsIn(await textWith([...RECORDS, 'note:read']))).toEqual(['note', 'record'])
  const own = await textWith([...RECORDS, 'comment:read'])
  expect([kindsIn(own), own.includes('On the record'), own.includes('On the entry')]).toEqual([
    ['comment', 'record'],
    true,
    false,
  ])
  const entries = [...RECORDS, 'comment:read', 'list_entry:read', 'list_configuration:read'] as const
  expect(await textWith(entries)).not.toContain('On the entry')
  expect(await textWith([...entries, 'private_collection:read'])).toContain('On the entry')
})

/** A note and a comment on the record, and a comment on an entry of the private list. */
async function seedNotes({ db, workspaceId, member, request }: TestService, record: string): Promise<void> {
  await db.sql`
    insert into relata.notes (workspace_id, id, parent_object_id, parent_record_id, title, content, created_by, created_at)
    select ${workspaceId}, gen_random_uuid(), id, ${record}, 'A note', '[]', 0, now()
    from relata.entity_types where workspace_id = ${workspaceId} and api_slug = 'people'`
  const entries = await request('POST', `/v2/lists/${privateList}/entries/query`, {})
  const entry = { list: privateList, entry_id: entries.body.data[0].id.entry_id }
  const author = { type: 'workspace-member', id: member.id }
  const comment = async (content: string, subject: object) => {
    const data = { format: 'plaintext', content, author, ...subject }
    const { status, body } = await request('POST', '/v2/comments', { data })
    expect([status, body.message]).toEqual([200, undefined])
  }
  await comment('On the record', { record: { object: 'people', record_id: record } })
  await comment('On the entry', { entry })
}
