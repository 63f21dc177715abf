/** Test events that a caller writes are sent with any ids. See docs/reference/webhooks-and-events.md (Deliveries). */

import { beforeAll, expect, test } from 'bun:test'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let path: string
beforeAll(async () => {
  const include = ['values']
  const subscriptions = [
    { event_type: 'record.updated', filter: null, include },
    { event_type: 'list-entry.updated', filter: null, include },
  ]
  const data = { target_url: 'https://example.com/hook', subscriptions }
  const made = await service.request('POST', '/v2/webhooks', { data })
  path = `/v2/webhooks/${made.body.data.id.webhook_id}/test`
})

const sendTest = (event_type: string, event?: unknown) =>
  service.request('POST', path, { data: { event_type, ...(event === undefined ? {} : { event }) } })

const ask = async (method: string, url: string, body?: object) => {
  const answer = await service.request(method, url, body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data
}

test.each(WEBHOOK_EVENT_TYPES)('200 for %s of a workspace without records or entries', async (event_type) => {
  expect((await sendTest(event_type)).status).toBe(200)
})

test('200 for the event of an entry that was deleted', async () => {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await ask('POST', '/v2/lists', { data: { name: 'L', api_slug: 'l', parent_object: 'people', ...access } })
  const person = await ask('POST', '/v2/objects/people/records', { data: { values: {} } })
  const { record_id } = person.id
  const data = { parent_object: 'people', parent_record_id: record_id, entry_values: {} }
  const { id } = await ask('POST', '/v2/lists/l/entries', { data })
  await ask('DELETE', `/v2/lists/l/entries/${id.entry_id}`)
  for (const event_type of WEBHOOK_EVENT_TYPES) {
    expect((await sendTest(event_type)).status).toBe(200)
    const answer = await sendTest(event_type, { id, parent_record_id: record_id })
    expect([answer.status, answer.body.data?.record_id]).toEqual([200, record_id])
  }
})

const ID = crypto.randomUUID()
const EVENTS: [string, unknown, string | null][] = [
  ['a record', { id: { record_id: ID } }, ID],
  ['a record in upper case', { id: { record_id: ID.toUpperCase() } }, ID],
  ['the parent of an entry', { id: { entry_id: 'x' }, parent_record_id: ID }, ID],
  ['no id', {}, null],
  ['an id that is null', { id: null, parent_record_id: ID }, null],
  ['an id that is a list', { id: [ID] }, null],
  ['a record id that is not a UUID', { id: { record_id: 'x' } }, null],
  ['a record id that is a number', { id: { record_id: 5 } }, null],
  ['a record id that is an object', { id: { record_id: { a: 1 } } }, null],
  ['a parent id that is not a UUID', { id: {}, parent_record_id: 'deleted' }, null],
]
test.each(EVENTS)('200 for an event with %s', async (_, event, record_id) => {
  const { status, body } = await sendTest('list-entry.deleted', event)
  expect([status, body.data?.record_id]).toEqual([200, record_id])
})

test('200 with the newest comment on a record, and its record', async () => {
  const person = await ask('POST', '/v2/objects/people/records', { data: { values: {} } })
  const { record_id } = person.id
  const author = { type: 'workspace-member', id: service.member.id }
  const record = { object: 'people', record_id }
  const { id, thread_id } = await ask('POST', '/v2/comments', {
    data: { format: 'plaintext', content: 'x', author, record },
  })
  const { body } = await sendTest('comment.resolved')
  const [row] = await service.db.sql<{ body: string }[]>`
    select body from relata.deliveries where id = ${body.data.delivery_id}`
  expect(JSON.parse(row?.body ?? '')).toMatchObject({
    events: [{ id: { comment_id: id.comment_id }, thread_id, record_id, list_id: null, entry_id: null }],
  })
})
