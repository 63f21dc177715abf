/** Emails about failing webhooks. See docs/reference/webhooks-and-events.md (The status of a webhook). */

import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { matchEvents } from '#events/webhooks/match/match-events'
import { runDeliveryWorker } from '#events/webhooks/queue/worker'
import type { Email } from '#crm/email/send-email'
import { useTestService } from '#testing/use-service'
import type { Micros } from '#base/timing/clock'
import { runWorker } from '#testing/workers'
import { alertWorker } from './send-alerts'

const MINUTE = 60_000_000
const DAY = 1440 * MINUTE

const service = useTestService()
let now: Micros = Date.UTC(2030, 0, 1) * 1000
const emails: Email[] = []
let refusal: Error | undefined
let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(async () => {
  await service.db.sql`delete from relata.webhooks`
  emails.length = 0
  refusal = undefined
  now += 30 * DAY
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => complaints.mockRestore())

const subscriptions = [{ event_type: 'list.created', filter: null }]
let made = 0

async function webhook(): Promise<{ id: string; target: string }> {
  const target = `https://example.com/${++made}`
  const { body } = await service.request('POST', '/v2/webhooks', { data: { target_url: target, subscriptions } })
  return { id: body.data.id.webhook_id, target }
}

/** Causes an event, which the receivers answer with this status. */
async function happen(status: number): Promise<void> {
  const { db, workspaceId } = service
  const event = { event_type: 'list.created', id: { list_id: 'x' } } as const
  await appendToOutbox(db.sql, { workspaceId, actor: 0, at: now }, [event])
  await publishBatch(db, () => now, matchEvents)
  const send = async () => ({ status, headers: {}, body: '', problem: undefined, duration: 1, address: '127.0.0.1' })
  const running = runDeliveryWorker({
    db,
    now: () => now,
    name: crypto.randomUUID(),
    sending: { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 },
    pollMs: 3_600_000,
    lingerMs: 0,
  })
  await running.settled()
  await running.stop()
}

const write = () => {
  const send = async (email: Email) => {
    if (refusal) throw refusal
    emails.push(email)
  }
  const mail = { isDelivered: true, send, close() {} }
  return runWorker(alertWorker, { db: service.db, now: () => now, mail, settings: service.appContext.settings })
}

const GONE = 410

test('one email after the last attempt of a delivery, to the member who created the key, with several processes', async () => {
  const { id, target } = await webhook()
  await happen(500)
  await write()
  expect(emails).toEqual([])
  await happen(GONE)
  await happen(GONE)
  await Promise.all([write(), write(), write()])
  await write()
  expect(emails).toHaveLength(1)
  expect(emails[0]).toMatchObject({ to: service.member.email_address, subject: 'A webhook of Workspace 1 fails' })
  expect(emails[0]?.text).toStartWith(`The webhook of “Test key” to ${target}, in the workspace Workspace 1`)
  expect(emails[0]?.text).toEndWith(`http://localhost:8080/${service.workspaceId}/webhooks/${id}?status=failed`)
})

test('another email after the webhook has recovered and fails, and when it becomes inactive', async () => {
  const { id } = await webhook()
  for (const status of [GONE, 200, GONE]) await happen(status)
  const since = new Date(now / 1000).toISOString().slice(0, 10)
  now += 7 * DAY + MINUTE
  await happen(500)
  await write()
  expect(emails.map(({ subject }) => subject).toSorted()).toEqual([
    'A webhook of Workspace 1 fails',
    'A webhook of Workspace 1 fails',
    'A webhook of Workspace 1 was switched off',
  ])
  const off = emails.find(({ subject }) => subject.endsWith('switched off'))
  expect(off?.text).toContain(`has failed since ${since}`)
  expect(off?.text).toEndWith(`http://localhost:8080/${service.workspaceId}/webhooks/${id}`)
})

test('a later email when the mail server refuses it, up to the limit of attempts', async () => {
  const { id } = await webhook()
  await happen(GONE)
  refusal = new Error('no')
  await write()
  const [line = ''] = complaints.mock.calls[0] ?? []
  expect(JSON.parse(line)).toMatchObject({
    message: `The mail server refused an alert about webhook ${id}.`,
    error: 'no',
  })
  refusal = undefined
  await write()
  expect(emails).toHaveLength(0)
  now += 5 * MINUTE
  await write()
  expect(emails).toHaveLength(1)

  await happen(200)
  await happen(GONE)
  refusal = new Error('no')
  for (let tries = 0; tries < 10; tries++) {
    await write()
    now += DAY
  }
  expect(complaints).toHaveBeenCalledTimes(11)
  expect(await service.db.sql`select 1 from relata.webhook_alerts`).toHaveLength(0)
})

test('an email to the admins when the creator is suspended; none when the webhook was deleted', async () => {
  const { sql } = service.db
  const { id } = await webhook()
  await sql`
    insert into relata.workspace_members (workspace_id, id, first_name, last_name, email_address, access_level, created_at)
    values (${service.workspaceId}, ${crypto.randomUUID()}, 'Bea', 'B', 'bea@example.com', 'admin', now()),
      (${service.workspaceId}, ${crypto.randomUUID()}, 'Cid', 'C', 'cid@example.com', 'member', now())`
  await sql`update relata.workspace_members set access_level = 'suspended' where id = ${service.member.id}`
  await happen(GONE)
  await write()
  expect(emails.map(({ to }) => to)).toEqual(['bea@example.com'])
  await happen(200)
  await happen(GONE)
  await service.request('DELETE', `/v2/webhooks/${id}`)
  await write()
  expect(emails).toHaveLength(1)
})
