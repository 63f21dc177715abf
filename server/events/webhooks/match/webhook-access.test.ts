/** A webhook gets the events that its key, app or member may see when they are published. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { hashSecret } from '#access/secrets'
import { publishBatch } from '#events/feed/publish'
import type { Scope } from '#vocabulary/scopes'
import { listClient } from '#testing/lists'
import { connect, makeApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { matchEvents } from './match-events'

const TYPES = ['record.created', 'list-entry.created', 'list.created', 'list.deleted', 'workspace-member.created']
const READING: Scope[] = [
  'record_permission:read',
  'object_configuration:read',
  'list_entry:read',
  'list_configuration:read',
]
const ALL: Scope[] = ['webhook:read-write', ...READING]

const service = useTestService()
const lists = listClient(service)
const admin = usePerson(service)
let memberId: string
beforeAll(async () => {
  memberId = admin.memberIds[service.workspaceId] ?? ''
})
beforeEach(async () => {
  await publish()
  await service.db.sql`delete from relata.webhooks`
})

const publish = async () => {
  while ((await publishBatch(service.db, service.appContext.now, matchEvents)) > 0);
}

let made = 0
const input = (types = TYPES) => ({
  data: {
    target_url: `https://example.com/${++made}`,
    subscriptions: types.map((event_type) => ({ event_type, filter: null })),
  },
})

async function webhook(key: string): Promise<string> {
  return (await service.request('POST', '/v2/webhooks', input(), { key })).body.data.id.webhook_id
}

const ofAdmin = async (): Promise<string> =>
  (await admin.ask('POST', '/console/v2/webhooks', input())).body.data.id.webhook_id

/** Creates an entry in a list of the workspace, and one in a private list that only the admin can see. */
async function happen(): Promise<void> {
  const members = [
    { workspace_member_id: service.member.id, level: 'full-access' },
    { workspace_member_id: memberId, level: 'read-only' },
  ]
  const hidden = await lists.list({ workspace_access: null, workspace_member_access: members })
  const open = await lists.list()
  const record = await lists.record()
  for (const list of [open, hidden]) await lists.entry(list, record)
  await publish()
}

/** Returns the types of the events that the webhook got. */
async function eventTypesOf(id: string): Promise<string[]> {
  await publish()
  const rows = await service.db.sql<{ event_type: string }[]>`
    select event_type from relata.deliveries where webhook_id = ${id} order by position`
  return rows.map(({ event_type }) => event_type)
}

const OPEN = ['list.created', 'record.created', 'list-entry.created']
const EVERYTHING = ['list.created', 'list.created', 'record.created', 'list-entry.created', 'list-entry.created']

describe('a webhook of a key', () => {
  const cases: [what: string, scopes: Scope[], events: string[]][] = [
    ['no scope to read', ['webhook:read-write'], []],
    [
      'records alone',
      ['webhook:read-write', 'record_permission:read', 'object_configuration:read'],
      ['record.created'],
    ],
    ['lists without their entries', ['webhook:read-write', 'list_configuration:read'], ['list.created']],
    ['all but private lists', ALL, OPEN],
    ['private lists as well', [...ALL, 'private_collection:read'], EVERYTHING],
  ]
  test.each(cases)('with %s', async (_, scopes, events) => {
    const id = await webhook(await service.keyWith(scopes))
    await happen()
    expect(await eventTypesOf(id)).toEqual(events)
  })

  test('gets events by the present scopes of the key', async () => {
    const id = await webhook(await service.keyWith([...ALL, 'private_collection:read']))
    const setScopes = (scopes: Scope[]) => service.db.sql`
      update relata.tokens set scopes = ${scopes}
      where client_id = (select client_id from relata.webhooks where id = ${id})`
    await happen()
    await setScopes(ALL)
    await happen()
    await setScopes(READING)
    await happen()
    expect(await eventTypesOf(id)).toEqual([...EVERYTHING, ...OPEN])
  })

  test('gets the deletion of every list, and no other events of lists that it cannot see', async () => {
    const id = await webhook(await service.keyWith(ALL))
    const list = await lists.list()
    await lists.entry(list, await lists.record())
    await service.request('DELETE', `/v2/lists/${list}`)
    expect(await eventTypesOf(id)).toEqual(['record.created', 'list.deleted'])
  })
})

describe('a webhook of an app', () => {
  test('gets the events that one of its grants allows, such as those of lists of the member who authorised it', async () => {
    const app = await makeApp(service, { scopes: ALL })
    const id = await webhook((await connect(service, admin, app)).accessToken)
    await happen()
    expect(await eventTypesOf(id)).toEqual(EVERYTHING)
    const other = await signedIn(service)
    await connect(service, other, app)
    await service.db.sql`
      update relata.grants set revoked_at = now() where app_id = ${app.app.id} and workspace_member_id = ${memberId}`
    await happen()
    expect(await eventTypesOf(id)).toEqual([...EVERYTHING, ...OPEN])
  })
})

describe('a webhook of the workspace', () => {
  const setRole = async (role: string) => {
    await service.db.sql`update relata.workspace_members set access_level = ${role} where id = ${memberId}`
    await service.appContext.models.reload(service.workspaceId)
  }

  test('gets the events that the member who saved it may see, and fewer when the member is suspended', async () => {
    const id = await ofAdmin()
    await setRole('member')
    await happen()
    await setRole('suspended')
    await happen()
    await setRole('admin')
    expect(await eventTypesOf(id)).toEqual([...EVERYTHING, ...OPEN])
  })

  // Earlier versions let a key change it.
  test('that a key saved gets the events that the key may see, and none when the key is revoked', async () => {
    const id = await ofAdmin()
    const key = await service.keyWith(['webhook:read-write', 'record_permission:read', 'object_configuration:read'])
    await service.db.sql`
      update relata.webhooks set saved_by = (select actor from relata.tokens where token_hash = decode(${hashSecret(key)}, 'hex'))
      where id = ${id}`
    await happen()
    expect(await eventTypesOf(id)).toEqual(['record.created'])
    await service.db.sql`
      update relata.tokens set revoked_at = now()
      where actor = (select saved_by from relata.webhooks where id = ${id})`
    await happen()
    expect(await eventTypesOf(id)).toEqual(['record.created'])
    expect((await admin.ask('PATCH', `/console/v2/webhooks/${id}`, input())).status).toBe(200)
    await happen()
    expect(await eventTypesOf(id)).toEqual(['record.created', ...EVERYTHING])
  })
})

describe('sending again', () => {
  const redeliver = (id: string, delivery: string) =>
    admin.ask('POST', `/console/v2/webhooks/${id}/deliveries/${delivery}/redeliver`)

  test('403 for an event that the webhook may not get any more, and a replay leaves it out', async () => {
    const id = await webhook(await service.keyWith([...ALL, 'private_collection:read']))
    await happen()
    const listed = (await admin.ask('GET', `/console/v2/webhooks/${id}/deliveries`)).body.data
    expect(listed).toHaveLength(EVERYTHING.length)
    const statuses = async () =>
      Promise.all(listed.map(async (each: { delivery_id: string }) => (await redeliver(id, each.delivery_id)).status))
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await service.db.sql`update relata.tokens set scopes = ${ALL} where scopes @> '{private_collection:read}'`
    expect((await statuses()).toSorted()).toEqual([200, 200, 200, 403, 403])
    await service.db.sql`update relata.deliveries set status = 'failed', due_at = null`
    const data = { from: '2020-01-01T00:00:00Z' }
    const replayed = await admin.ask('POST', `/console/v2/webhooks/${id}/replay`, { data })
    expect(replayed.body.data.redelivered).toBe(3)
  })

  test('a test event names nothing that the webhook may not see', async () => {
    const id = await webhook(await service.keyWith(['webhook:read-write']))
    await happen()
    for (const event_type of ['record.created', 'list-entry.created', 'workspace-member.created']) {
      const { body } = await admin.ask('POST', `/console/v2/webhooks/${id}/test`, { data: { event_type } })
      const path = `/console/v2/webhooks/${id}/deliveries/${body.data.delivery_id}`
      const [event] = JSON.parse((await admin.ask('GET', path)).body.data.body).events
      const { workspace_id: _, ...ids } = event.id
      const known = [...(await service.appContext.models.reload(service.workspaceId)).entityTypesById.keys(), memberId]
      expect(Object.values(ids).filter((each) => known.includes(String(each)))).toEqual([])
    }
  })

  test('403 for a test event that the caller may not read', async () => {
    const key = await service.keyWith(['webhook:read-write'])
    const path = `/v2/webhooks/${await webhook(key)}/test`
    const { status, body } = await service.request('POST', path, { data: { event_type: 'record.created' } }, { key })
    expect([status, body.required_scopes]).toEqual([403, ['record_permission:read', 'object_configuration:read']])
  })
})
