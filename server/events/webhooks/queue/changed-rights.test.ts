/**
 * Pending deliveries after the target, the owner or the access of a viewer changed. Each change is tried with deliveries in the
 * table, in the memory of a queue, and before a retry. See docs/decisions/event-access.md.
 */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { hashSecret } from '#access/secrets'
import { publishBatch } from '#events/feed/publish'
import type { Scope } from '#vocabulary/scopes'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { connect, makeApp } from '#testing/oauth'
import { type Person, signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { until } from '#testing/until'
import type { Micros } from '#base/timing/clock'
import { groupOf } from '#engine/outbox/outbox'
import type { InsertedDeliveries } from '#events/webhooks/delivery'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { AttemptResult, OutgoingRequest, Send } from '#events/webhooks/send/send-request'
import { runEventPipeline } from '#events/webhooks/event-pipeline'
import { listenForChangedDeliveries } from './notify-of-changes'
import { type DeliveryWorker, runDeliveryWorker } from './worker'

const MINUTE = 60_000_000
const RECORDS: Scope[] = ['record_permission:read', 'object_configuration:read']
const ALL: Scope[] = ['webhook:read-write', ...RECORDS, 'list_entry:read', 'list_configuration:read']
const OLD = 'https://example.com/old'
const NEW = 'https://example.com/new'

const service = useTestService()
/** The group of the workspace, which another process may have published. */
const gaps = () => new Set([groupOf(service.workspaceId)])
const lists = listClient(service)
const admin = usePerson(service)
let now: Micros
let root: string
/** A second admin, and a member who may save webhooks. Every test changes their rights, so each has its own. */
let saver: Person
let member: Person
beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
  await admin.ask('PATCH', root, { member_permissions: ['webhooks'] })
})
beforeEach(async () => {
  now = Date.UTC(2040, 0, 1) * 1000
  while (
    (await publishBatch(
      service.db,
      () => now,
      async () => {},
    )) > 0
  );
  await service.db.sql`delete from relata.webhooks`
  await service.db.sql`delete from relata.deliveries`
  saver = await signedIn(service)
  member = await signedIn(service, { [service.workspaceId]: 'member' })
})

const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId] ?? ''

const SUBSCRIPTIONS = ['record.created', 'record.updated', 'list-entry.created', 'list-entry.updated'].map(
  (event_type) => ({
    event_type,
    filter: null,
    ...(event_type.endsWith('updated') && { include: ['values'] }),
  }),
)

async function ask(person: Person, method: string, path: string, body?: object) {
  const { status, body: answer } = await person.ask(method, path, body)
  expect([path, status, answer.message]).toEqual([path, 200, undefined])
  return answer.data
}

async function webhookOf(person: Person, target_url = OLD): Promise<string> {
  const data = { target_url, subscriptions: SUBSCRIPTIONS }
  return (await ask(person, 'POST', '/console/v2/webhooks', { data })).id.webhook_id
}

async function webhookOfKey(key: string, subscriptions: readonly object[] = SUBSCRIPTIONS): Promise<string> {
  const { status, body } = await service.request(
    'POST',
    '/v2/webhooks',
    { data: { target_url: OLD, subscriptions } },
    { key },
  )
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.id.webhook_id
}

async function listFor(access: Record<string, unknown>): Promise<string> {
  const slug = await lists.list(access)
  await lists.attribute(slug, 'mark')
  return slug
}

const privateList = (...people: Person[]) =>
  listFor({
    workspace_access: null,
    workspace_member_access: [service.member.id, ...people.map(idOf)].map((workspace_member_id) => ({
      workspace_member_id,
      level: 'full-access',
    })),
  })

/** Creates a person, and an entry of the list, which is changed afterwards. */
async function writeEntry(list: string): Promise<void> {
  const entry = await lists.entry(list, await lists.record(), { mark: 'one' })
  await lists.update('PATCH', list, entry, { mark: 'two' })
}

const keyId = async (key: string) =>
  (await service.db.sql`select id from relata.tokens where token_hash = decode(${hashSecret(key)}, 'hex')`)[0]?.id

interface Scene {
  /** Writes what the webhook gets events of. The event of the first one stays visible. */
  readonly happen: () => Promise<unknown>
  readonly change: () => Promise<unknown>
}

/** Each makes a webhook, and returns what happens and what changes. Afterwards, only the creation of a person may be sent. */
const CHANGES: readonly (readonly [what: string, make: () => Promise<Scene>])[] = [
  [
    'the scopes of its key',
    async () => {
      const list = await listFor({})
      const key = await service.keyWith(ALL)
      await webhookOfKey(key)
      const id = await keyId(key)
      return {
        happen: () => writeEntry(list),
        change: () => ask(admin, 'PATCH', `${root}/keys/${id}`, { scopes: ['webhook:read-write', ...RECORDS] }),
      }
    },
  ],
  [
    'the grants of its app',
    async () => {
      const list = await privateList(saver)
      const app = await makeApp(service, { scopes: ALL })
      const { accessToken } = await connect(service, saver, app)
      await connect(service, admin, app)
      await webhookOfKey(accessToken)
      const [grant] = await service.db.sql`
        select id from relata.grants where app_id = ${app.app.id} and workspace_member_id = ${idOf(saver)}`
      return {
        happen: () => writeEntry(list),
        change: () => ask(admin, 'DELETE', `${root}/grants/${grant?.id}`),
      }
    },
  ],
  [
    'the role of the member who saved it',
    async () => {
      const list = await privateList()
      await webhookOf(saver)
      return {
        happen: () => writeEntry(list),
        change: () => ask(admin, 'PATCH', `${root}/members/${idOf(saver)}`, { access_level: 'member' }),
      }
    },
  ],
  [
    'a suspension of the member who saved it',
    async () => {
      const list = await privateList(member)
      await webhookOf(member)
      return {
        happen: () => writeEntry(list),
        change: () => ask(admin, 'PATCH', `${root}/members/${idOf(member)}`, { access_level: 'suspended' }),
      }
    },
  ],
  [
    'the team of the member who saved it',
    async () => {
      const list = await privateList()
      const { id } = await ask(admin, 'POST', `${root}/teams`, { name: `Team of ${idOf(member)}` })
      await ask(admin, 'PUT', `${root}/teams/${id}/members/${idOf(member)}`)
      await ask(admin, 'PUT', `${root}/lists/${list}/teams`, { teams: [{ team_id: id, level: 'read-only' }] })
      await webhookOf(member)
      return {
        happen: () => writeEntry(list),
        change: () => ask(admin, 'DELETE', `${root}/teams/${id}/members/${idOf(member)}`),
      }
    },
  ],
  [
    'the access to a list',
    async () => {
      const list = await listFor({})
      await webhookOfKey(await service.keyWith(ALL))
      const change = {
        data: {
          workspace_access: null,
          workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
        },
      }
      return { happen: () => writeEntry(list), change: () => service.request('PATCH', `/v2/lists/${list}`, change) }
    },
  ],
  [
    'the deletion of a list',
    async () => {
      const list = await listFor({})
      await webhookOfKey(await service.keyWith(ALL))
      return { happen: () => writeEntry(list), change: () => service.request('DELETE', `/v2/lists/${list}`) }
    },
  ],
  [
    'the access to an object',
    async () => {
      await webhookOf(member)
      const set = (members: string) => ask(admin, 'PUT', `${root}/objects/companies/access`, { members, teams: [] })
      await set('read-write')
      return {
        async happen() {
          await lists.record()
          await lists.record('companies')
        },
        change: () => set('hidden'),
      }
    },
  ],
  [
    'the member who saved it last, and its target',
    async () => {
      const list = await privateList()
      const id = await webhookOf(saver)
      return {
        happen: () => writeEntry(list),
        change: () => ask(member, 'PATCH', `/console/v2/webhooks/${id}`, { data: { target_url: NEW } }),
      }
    },
  ],
]

const answered = (status: number): AttemptResult => ({
  status,
  headers: {},
  body: '',
  problem: undefined,
  duration: 1,
  address: '127.0.0.1',
})

function worker(send: Send): DeliveryWorker {
  const { db } = service
  const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
  const recording = { random: () => 0.5 }
  return runDeliveryWorker({
    db,
    now: () => now,
    name: crypto.randomUUID(),
    sending,
    recording,
    pollMs: 3_600_000,
    lingerMs: 0,
  })
}

/** Sends what is due. Returns the requests. */
async function sendDue(answer: (request: OutgoingRequest) => AttemptResult = () => answered(200)) {
  const sent: OutgoingRequest[] = []
  const running = worker(async (request) => (sent.push(request), answer(request)))
  await running.settled()
  await running.stop()
  return sent
}

async function publishTo(running?: DeliveryWorker): Promise<void> {
  let inserted: readonly InsertedDeliveries[] = []
  const count = await publishBatch(
    service.db,
    () => now,
    async (tx, events) => {
      inserted = await matchEvents(tx, events, running?.publishingWorker())
    },
  )
  expect(count).toBeGreaterThan(0)
  running?.append(inserted, gaps())
}

/** Publishes with a worker that sends from memory. The change is made while the first request is under way. */
async function sendAround(happen: () => Promise<unknown>, change: (running: DeliveryWorker) => Promise<unknown>) {
  const sent: OutgoingRequest[] = []
  const first = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const running = worker(async (request) => {
    sent.push(request)
    first.resolve()
    await release.promise
    return answered(200)
  })
  await running.settled()
  await happen()
  await publishTo(running)
  await first.promise
  await change(running)
  release.resolve()
  await running.settled()
  await running.stop()
  return sent
}

const eventIn = ({ body }: OutgoingRequest) => JSON.parse(body).events[0]
const typesOf = (sent: readonly OutgoingRequest[]) => sent.map((request) => eventIn(request).event_type)
const deliveries = () => service.db.sql`select * from relata.deliveries order by position`
const statuses = async () => (await deliveries()).map(({ status }) => status)

describe.each(CHANGES)('after a change of %s', (_, make) => {
  test('deliveries in the table are dropped', async () => {
    const { happen, change } = await make()
    await happen()
    await publishTo()
    const before = await statuses()
    expect(before.length).toBeGreaterThan(1)
    await change()
    expect(typesOf(await sendDue())).toEqual(['record.created'])
    expect(await statuses()).toEqual(before.map((__, index) => (index === 0 ? 'succeeded' : 'dropped')))
    for (const { status, due_at, finished_at } of await deliveries())
      expect([status, due_at, finished_at === null]).toEqual([status, null, false])
  })

  test('deliveries in memory are dropped', async () => {
    const { happen, change } = await make()
    const sent = await sendAround(happen, async (running) => {
      await change()
      running.discard()
    })
    expect(typesOf(sent)).toEqual(['record.created'])
    expect(new Set((await statuses()).slice(1))).toEqual(new Set(['dropped']))
  })

  test('deliveries that are retried are dropped', async () => {
    const { happen, change } = await make()
    await happen()
    await publishTo()
    expect((await sendDue(() => answered(500))).length).toBe((await statuses()).length)
    await change()
    now += MINUTE
    expect(typesOf(await sendDue())).toEqual(['record.created'])
    expect(new Set((await statuses()).slice(1))).toEqual(new Set(['dropped']))
  })

  test('all processes are notified', async () => {
    const { change } = await make()
    const [row] = await service.db.sql`select id from relata.webhooks`
    const heard = Promise.withResolvers<void>()
    const stop = await listenForChangedDeliveries(service.db, {
      ofWebhooks: (ids) => ids?.includes(row?.id) === true && heard.resolve(),
      ofWorkspace: (id) => id === service.workspaceId && heard.resolve(),
    })
    await change()
    await heard.promise
    await stop()
  })
})

describe('a running service', () => {
  test.each([
    [
      'a redirected webhook',
      async () => {
        const id = await webhookOf(saver)
        return () => ask(member, 'PATCH', `/console/v2/webhooks/${id}`, { data: { target_url: NEW } })
      },
    ],
    [
      'a changed data model',
      async () => {
        await webhookOf(saver)
        return () => ask(admin, 'PATCH', `${root}/members/${idOf(saver)}`, { access_level: 'member' })
      },
    ],
  ])('sends nothing from memory that was made before it was notified of %s', async (_, make) => {
    const list = await privateList()
    const change = await make()
    await writeEntry(list)
    const sent: OutgoingRequest[] = []
    const first = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const send: Send = async (request) => {
      sent.push(request)
      first.resolve()
      await release.promise
      return answered(200)
    }
    const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
    const pipeline = await runEventPipeline({ db: service.db, now: () => now, sending, days: 30 })
    // The driver calls the listeners of a connection in the order of their registration, so this one comes after the service's.
    const notified = Promise.withResolvers<void>()
    const stop = await listenForChangedDeliveries(service.db, {
      ofWebhooks: (ids) => ids !== undefined && notified.resolve(),
      ofWorkspace: () => notified.resolve(),
    })
    pipeline.wake()
    await first.promise
    await change()
    await notified.promise
    release.resolve()
    await until(async () => (await statuses()).every((status) => status !== 'waiting'))
    await stop()
    await pipeline.stop()
    expect(typesOf(sent)).toEqual(['record.created'])
  })
})

describe('a webhook whose target changed', () => {
  const redirect = async (id: string, person = saver) =>
    ask(person, 'PATCH', `/console/v2/webhooks/${id}`, { data: { target_url: NEW } })
  const targetsOf = (sent: readonly OutgoingRequest[]) => sent.map(({ target }) => target)

  test('gets what its viewers still see at the new target, from memory as well', async () => {
    const id = await webhookOf(saver)
    const happen = async () => {
      for (let count = 0; count < 3; count++) await lists.record()
    }
    const sent = await sendAround(happen, async (running) => {
      await redirect(id)
      running.discard()
    })
    expect(targetsOf(sent)).toEqual([OLD, NEW, NEW])
  })

  test('gets nothing there that was made for the earlier viewers, also before its process is notified', async () => {
    const list = await privateList()
    const id = await webhookOf(saver)
    const sent = await sendAround(
      () => writeEntry(list),
      async (running) => {
        await redirect(id, member)
        await lists.record()
        await publishTo(running)
      },
    )
    expect(sent.map((request) => `${eventIn(request).event_type} ${request.target}`)).toEqual([
      `record.created ${OLD}`,
      `record.created ${NEW}`,
    ])
  })

  test('gets of a batch that was matched before the change what its viewers see now', async () => {
    const list = await privateList()
    const id = await webhookOf(saver)
    const sent: OutgoingRequest[] = []
    const running = worker(async (request) => (sent.push(request), answered(200)))
    await running.settled()
    await writeEntry(list)
    let inserted: readonly InsertedDeliveries[] = []
    await publishBatch(
      service.db,
      () => now,
      async (tx, events) => {
        inserted = await matchEvents(tx, events, running.publishingWorker())
      },
    )
    await redirect(id, member)
    running.discard()
    running.append(inserted, gaps())
    await running.settled()
    await running.stop()
    expect([...new Set(sent.map((request) => `${eventIn(request).event_type} ${request.target}`))]).toEqual([
      `record.created ${NEW}`,
    ])
  })
})

describe('values of pending events', () => {
  const values = ({ previous_values, new_values }: Record<string, unknown>) => [previous_values, new_values]

  test('are null when the list becomes private, and the event is still sent to a viewer who sees it', async () => {
    const list = await listFor({})
    await webhookOf(saver)
    await writeEntry(list)
    await publishTo()
    await service.request('PATCH', `/v2/lists/${list}`, {
      data: {
        workspace_access: null,
        workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
      },
    })
    const updated = (await sendDue()).map(eventIn).find(({ event_type }) => event_type === 'list-entry.updated')
    expect(values(updated)).toEqual([null, null])
    expect((await deliveries()).at(-1)?.body).not.toContain('two')
  })

  test('are left out when the webhook does not include them any more', async () => {
    const id = await webhookOf(saver)
    const record = await lists.record()
    await service.request('PATCH', `/v2/objects/people/records/${record}`, { data: { values: { job_title: 'Head' } } })
    await publishTo()
    const subscriptions = SUBSCRIPTIONS.map(({ include: _, ...plain }) => plain)
    await ask(saver, 'PATCH', `/console/v2/webhooks/${id}`, { data: { subscriptions } })
    const [, updated] = (await sendDue()).map(eventIn)
    expect(Object.keys(updated)).toEqual(['event_type', 'id', 'actor'])
  })

  test('do not name records of an object that was hidden, and are the same bytes for all other viewers', async () => {
    await ask(admin, 'PUT', `${root}/objects/companies/access`, { members: 'read-write', teams: [] })
    const config = { record_reference: { allowed_objects: ['people', 'companies'] } }
    const api_slug = `mixed_${Date.now()}`
    const attribute = attributeInput({ api_slug, type: 'record-reference', is_multiselect: true, config })
    await service.request('POST', '/v2/objects/people/attributes', { data: attribute })
    const seen = await webhookOf(saver)
    const changed = await webhookOf(member, NEW)
    const [person, company] = [await lists.record(), await lists.record('companies')]
    await publishTo()
    await sendDue()
    const reference = (target_object: string, target_record_id: string) => ({ target_object, target_record_id })
    const data = { values: { [api_slug]: [reference('people', person), reference('companies', company)] } }
    expect((await service.request('PATCH', `/v2/objects/people/records/${person}`, { data })).status).toBe(200)
    await publishTo()
    // The receivers answer with what they received.
    await sendDue((request) => ({ ...answered(500), body: request.body }))
    now += MINUTE
    const before = (await deliveries()).filter(({ status, webhook_id }) => status === 'waiting' && webhook_id === seen)
    await ask(admin, 'PUT', `${root}/objects/companies/access`, { members: 'hidden', teams: [] })
    const sent = await sendDue()
    expect(sent.filter(({ target }) => target === OLD).map(({ body }) => body)).toEqual(before.map(({ body }) => body))
    const updated = sent.filter(({ target }) => target === NEW).map(eventIn)
    expect(updated).toHaveLength(1)
    expect(JSON.stringify(updated)).not.toContain(company)
    expect(updated[0].new_values).toMatchObject([{ target_record_id: person }])
    const path = `/console/v2/webhooks/${changed}/deliveries`
    const [{ delivery_id }] = await ask(member, 'GET', path)
    const shown = await ask(member, 'GET', `${path}/${delivery_id}`)
    expect([shown.attempts.length, JSON.stringify(shown).includes(company)]).toEqual([2, false])
    await ask(admin, 'PUT', `${root}/objects/companies/access`, { members: 'read-write', teams: [] })
  })
})

describe('a test event', () => {
  const sendTest = (id: string) =>
    ask(saver, 'POST', `/console/v2/webhooks/${id}/test`, { data: { event_type: 'list-entry.created' } })

  test('is sent to a webhook whose viewers may not read such events, as it names nothing that exists', async () => {
    const created = [{ event_type: 'record.created', filter: null }]
    await sendTest(await webhookOfKey(await service.keyWith(['webhook:read-write']), created))
    expect(typesOf(await sendDue())).toEqual(['list-entry.created'])
  })

  test('is dropped when the viewers lose the access to what it names, and kept when they do not', async () => {
    const key = await service.keyWith(ALL)
    const id = await webhookOfKey(key)
    await writeEntry(await listFor({}))
    await sendTest(id)
    await ask(admin, 'PATCH', `${root}/keys/${await keyId(key)}`, { scopes: [...ALL, 'note:read'] })
    expect(typesOf(await sendDue(() => answered(500)))).toEqual(['list-entry.created'])
    await ask(admin, 'PATCH', `${root}/keys/${await keyId(key)}`, { scopes: ['webhook:read-write', ...RECORDS] })
    now += MINUTE
    expect(await sendDue()).toEqual([])
    expect(await statuses()).toEqual(['dropped'])
  })
})
