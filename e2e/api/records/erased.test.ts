/**
 * After a record is deleted for good, no table of the database has its values.
 * See docs/reference/trash.md (Deletion for good).
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { entryClient, entryIdOf } from '../../support/fixtures/entries'
import { makeList } from '../../support/fixtures/model'
import { createRequest, type Request } from '../../support/http/client'
import { until } from '../../support/until'
import { startFixture, type Fixture } from '../webhooks/fixture'
import { startReceiver, type Receiver } from '../webhooks/receivers'

/** Every value of the record, its entry, note, comment and file contains this text. */
const SECRET = 'Unmistakable'
const PEOPLE = '/v2/objects/people/records'

let fixture: Fixture
let request: Request
let receiver: Receiver
let list: string

beforeAll(async () => {
  fixture = await startFixture({ RELATA_WEBHOOK_TIMEOUT: '5' })
  request = createRequest(fixture.running.url, fixture.key)
  // It never answers, so deliveries wait.
  receiver = await startReceiver(() => {})
  list = await makeList(request, 'erased', [{ api_slug: 'text', type: 'text' }])
})
afterAll(async () => {
  receiver.close()
  expect(await fixture.close()).toBe(0)
})

let keys = 0
/** Sends a write with an idempotency key, and returns a function that repeats it. */
async function write(method: string, path: string, body?: object, status = 200) {
  const headers = { 'Idempotency-Key': `erased-${++keys}` }
  const repeat = () => request(method, path, body, { headers })
  const first = await repeat()
  expect([method, path, first.status, first.body.message]).toEqual([method, path, status, undefined])
  return { data: first.body.data, repeat }
}

const subscribe = (target_url: string) =>
  fixture.request('POST', '/v2/webhooks', {
    data: {
      target_url,
      subscriptions: ['record.updated', 'list-entry.updated'].map((event_type) => ({
        event_type,
        filter: null,
        include: ['values'],
      })),
    },
  })

/** The tables with a row that contains the text, also in hexadecimal digits. */
async function tablesWith(text: string): Promise<string[]> {
  const { reader } = fixture
  const tables = await reader<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  const hex = Buffer.from(text).toString('hex')
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await reader.unsafe(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0 limit 1`,
      [text, hex],
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

test('no table has its values, and a retry with an idempotency key does not write them again', async () => {
  const endpoint = (await request('POST', '/v2/test_endpoints', { data: { name: 'Receiver' } })).body.data
  for (const target of [endpoint.url, `http://127.0.0.1:${receiver.port}/hook`]) await subscribe(target)
  const before = await tablesWith(SECRET)
  expect(before).toEqual([])

  const address = `${SECRET}@relata.dev`.toLowerCase()
  const values = { name: `${SECRET}, Ada`, email_addresses: [address] }
  const created = await write('POST', PEOPLE, { data: { values } })
  const id: string = created.data.id.record_id
  const answers = [created]
  const write200 = async (...parameters: Parameters<typeof write>) => {
    const written = await write(...parameters)
    answers.push(written)
    return written.data
  }
  const job_title = (text: string) => ({ data: { values: { job_title: `${SECRET} ${text}` } } })
  await write200('PATCH', `${PEOPLE}/${id}`, job_title('patched'))
  await write200('PUT', `${PEOPLE}/${id}`, job_title('put'))
  const upsert = { data: { values: { email_addresses: [address], job_title: `${SECRET} upserted` } } }
  await write200('PUT', `${PEOPLE}?matching_attribute=email_addresses`, upsert)
  const operation = { op: 'update', record_id: id, values: { job_title: `${SECRET} of a batch` } }
  await write200('POST', `${PEOPLE}/batch`, { data: { operations: [operation] } })
  const entries = entryClient(request, list)
  const parent = { parent_object: 'people', parent_record_id: id }
  const entry = await write200('POST', `/v2/lists/${list}/entries`, {
    data: { ...parent, entry_values: { text: SECRET } },
  })
  await write200('PATCH', `/v2/lists/${list}/entries/${entry.id.entry_id}`, {
    data: { entry_values: { text: `${SECRET} entry` } },
  })
  expect(entryIdOf(await entries.get(entry.id.entry_id))).toBe(entry.id.entry_id)
  await write200('POST', '/v2/notes', { data: { ...parent, title: SECRET, format: 'plaintext', content: SECRET } })
  const { body: self } = await request('GET', '/v2/self')
  const author = { type: 'workspace-member', id: self.authorized_by_workspace_member_id }
  const record = { object: 'people', record_id: id }
  await write200('POST', '/v2/comments', { data: { format: 'plaintext', content: SECRET, author, record } })
  await write200('POST', '/v2/files', { object: 'people', record_id: id, file_type: 'folder', name: SECRET })
  const participants = [{ email_address: address, name: SECRET, is_organizer: false, status: 'accepted' }]
  const [start, end] = ['2027-11-27T14:00:00Z', '2027-11-27T15:00:00Z'].map((datetime) => ({ datetime }))
  const meeting = { title: 'Weekly', description: '', is_all_day: false, start, end, participants }
  await write200('POST', '/v2/meetings', { data: meeting })
  const linked_records = [{ target_object: 'people', target_record_id: id }]
  const task = { content: SECRET, format: 'plaintext', deadline_at: null, is_completed: false, assignees: [] }
  await write200('POST', '/v2/tasks', { data: { ...task, linked_records } })
  await until(
    async () =>
      (await request('GET', `/v2/test_endpoints/${endpoint.test_endpoint_id}/requests`)).body.data.length >= 5,
  )
  await request('DELETE', `${PEOPLE}/${id}`)
  await write200('POST', `${PEOPLE}/${id}/restore`)
  const places = await tablesWith(SECRET)
  for (const name of [
    'idempotent_answers',
    'test_requests',
    'notes',
    'comments',
    'files',
    'tasks',
    'meeting_participants',
  ])
    expect(places).toContain(`relata.${name}`)

  expect((await request('DELETE', `${PEOPLE}/${id}?permanent=true&erase_tasks=true`)).status).toBe(200)
  expect(await tablesWith(SECRET)).toEqual([])
  expect(await tablesWith(address)).toEqual([])
  for (const { repeat } of answers) {
    const repeated = await repeat()
    expect([repeated.status, repeated.body.code]).toEqual([409, 'idempotency_conflict'])
  }
  expect(await tablesWith(SECRET)).toEqual([])
}, 180_000)
