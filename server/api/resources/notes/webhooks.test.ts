/** Webhooks of the events of notes: by subscription filter, and by what the key of the webhook may read. */

import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'

const TYPES = ['note.created', 'note.updated', 'note-content.updated', 'note.deleted'] as const

const service = useTestService()
let company: string
let person: string
const objects: Record<string, string> = {}
beforeAll(async () => {
  company = await createRecord('companies')
  person = await createRecord('people')
})
beforeEach(async () => {
  await publish()
  await service.db.sql`delete from relata.webhooks`
})

async function createRecord(object: string): Promise<string> {
  const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values: {} } })
  objects[object] = body.data.id.object_id
  return body.data.id.record_id
}

const publish = async () => {
  await publishAll(service, matchEvents)
}

const subscribe = (filter: object | null, key = service.key) =>
  service.request(
    'POST',
    '/v2/webhooks',
    {
      data: {
        target_url: `https://example.com/notes/${crypto.randomUUID()}`,
        subscriptions: TYPES.map((event_type) => ({ event_type, filter })),
      },
    },
    { key },
  )

/** Creates, changes and deletes a note on each record, and returns the deliveries of the webhook. */
async function deliveriesOf(webhook: string): Promise<string[]> {
  for (const [parent_object, parent_record_id] of [
    ['companies', company],
    ['people', person],
  ]) {
    const data = { parent_object, parent_record_id, title: 'x', format: 'plaintext', content: 'x' }
    const { note_id } = (await service.request('POST', '/v2/notes', { data })).body.data.id
    const change = { title: 'y', format: 'plaintext', content: 'y' }
    await service.request('PATCH', `/v2/notes/${note_id}`, { data: change })
    await service.request('DELETE', `/v2/notes/${note_id}`)
  }
  await publish()
  const rows = await service.db.sql<{ event_type: string }[]>`
    select event_type from relata.deliveries where webhook_id = ${webhook} order by position`
  return rows.map(({ event_type }) => event_type)
}

const equals = (field: string, value: string) => ({ $and: [{ field, operator: 'equals', value }] })

const FILTERS: readonly (readonly [what: string, filter: () => object | null, deliveries: number])[] = [
  ['no filter', () => null, 8],
  ['the parent object', () => equals('parent_object_id', objects.companies ?? ''), 4],
  ['the parent record', () => equals('parent_record_id', person), 4],
  ['another record', () => equals('parent_record_id', crypto.randomUUID()), 0],
]
test.each(FILTERS)('a subscription with %s', async (_, filter, deliveries) => {
  const { body } = await subscribe(filter())
  const all = [...TYPES, ...TYPES].slice(0, deliveries)
  expect(await deliveriesOf(body.data.id.webhook_id)).toEqual(all)
})

test('400 for a slug, because events name the object by its id', async () => {
  const { status, body } = await subscribe(equals('parent_object_id', 'companies'))
  expect([status, body.message.includes(objects.companies)]).toEqual([400, true])
})

test('no delivery without the scope to read notes', async () => {
  const scopes = ['webhook:read-write', 'record_permission:read', 'object_configuration:read'] as const
  const { body: hidden } = await subscribe(null, await service.keyWith(scopes))
  expect(await deliveriesOf(hidden.data.id.webhook_id)).toEqual([])
  const { body: shown } = await subscribe(null, await service.keyWith([...scopes, 'note:read']))
  expect(await deliveriesOf(shown.data.id.webhook_id)).toHaveLength(8)
})

test('a test delivery names the newest note', async () => {
  const data = { parent_object: 'people', parent_record_id: person, title: 'x', format: 'plaintext', content: '' }
  const { note_id } = (await service.request('POST', '/v2/notes', { data })).body.data.id
  const { body } = await subscribe(null)
  const sent = { data: { event_type: 'note.created' } }
  const test = await service.request('POST', `/v2/webhooks/${body.data.id.webhook_id}/test`, sent)
  const [row] = await service.db.sql<{ body: string }[]>`
    select body from relata.deliveries where id = ${test.body.data.delivery_id}`
  expect(JSON.parse(row?.body ?? '').events[0]).toMatchObject({ id: { note_id }, parent_record_id: person })
})
