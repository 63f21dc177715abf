/** Emails about notifications. See docs/reference/inbox.md (Email digests). */

import { afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { commentClient, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import type { Micros } from '#base/timing/clock'
import type { Email } from '#crm/email/send-email'
import { runWorker } from '#testing/workers'
import { digestWorker } from './send-digests'

const MINUTE = 60_000_000

const service = useTestService()
const comments = commentClient(service)
const lists = listClient(service)
const bob = usePerson(service, 'member')
let record: string
let inbox: string
let now: Micros
const emails: Email[] = []
let refusal: Error | undefined
let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeAll(async () => {
  record = await lists.record()
  await service.appContext.models.reload(service.workspaceId)
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
  now = service.appContext.now()
})
beforeEach(async () => {
  await service.db.sql`delete from relata.notifications`
  await service.db.sql`delete from relata.inboxes`
  emails.length = 0
  refusal = undefined
  passMinutes(60)
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => complaints.mockRestore())

function passMinutes(minutes: number): void {
  now += minutes * MINUTE
  service.setNow(now)
}

const mention = (text = 'Look') => comments.comment(onRecord(record), { content: `${text} ${bob.email_address}` })

/** What one process does when its timer fires. */
const send = (isDelivered = true) => {
  const { db, appContext } = service
  const mail = {
    isDelivered,
    send: async (email: Email) => {
      if (refusal) throw refusal
      emails.push(email)
    },
    close() {},
  }
  return runWorker(digestWorker, {
    db,
    models: appContext.models,
    now: () => now,
    mail,
    settings: appContext.settings,
  })
}

test('one of several processes sends one email, five minutes after the first notification', async () => {
  await mention('First')
  passMinutes(4)
  await mention('Second')
  await send()
  expect(emails).toEqual([])
  passMinutes(1)
  await Promise.all([send(), send(), send()])
  expect(emails).toHaveLength(1)
  const [email] = emails
  expect(email).toMatchObject({ to: bob.email_address, subject: '2 new notifications in Workspace 1' })
  expect(email?.text).toBe(
    [
      `Ada Lovelace mentioned you:\nFirst ${bob.email_address}\nhttp://localhost:8080/workspace-1/person/${record}`,
      `Ada Lovelace mentioned you:\nSecond ${bob.email_address}\nhttp://localhost:8080/workspace-1/person/${record}`,
      `All notifications, and the setting that switches these emails off:\nhttp://localhost:8080/${service.workspaceId}/inbox`,
    ].join('\n\n'),
  )
})

test('an email is in the language of the account', async () => {
  const setLanguage = (language: string | null) =>
    service.db.sql`update relata.accounts set language = ${language} where email_address = ${bob.email_address}`
  await setLanguage('de')
  await mention('First')
  passMinutes(5)
  await send()
  await setLanguage(null)
  expect(emails[0]?.subject).toBe('Eine neue Benachrichtigung in Workspace 1')
  expect(emails[0]?.text).toStartWith('Ada Lovelace hat Sie erwähnt:')
})

test('a member gets at most one email in fifteen minutes, with the notifications since the last one', async () => {
  await mention('First')
  passMinutes(5)
  await send()
  await mention('Second')
  for (let minute = 0; minute < 14; minute++) {
    passMinutes(1)
    await send()
  }
  expect(emails).toHaveLength(1)
  passMinutes(1)
  await send()
  expect(emails).toHaveLength(2)
  expect(emails[1]).toMatchObject({ subject: 'A new notification in Workspace 1' })
  expect(emails[1]?.text).not.toContain('First')
  passMinutes(600)
  await send()
  expect(emails).toHaveLength(2)
})

test('writes that notify the same member run at once, and the digest waits for all of them', async () => {
  await mention('First')
  passMinutes(5)
  await service.db.sql.begin(async (tx) => {
    // As a write that has not committed yet.
    await tx`select from relata.inboxes where member_id = ${bob.memberIds[service.workspaceId] ?? null} for share`
    await mention('Second')
    await send()
    expect(emails).toEqual([])
  })
  await send()
  expect(emails.map(({ text }) => [text.includes('First'), text.includes('Second')])).toEqual([[true, true]])
})

test('no email has notifications that were read, and none is sent without a mail server', async () => {
  await mention()
  passMinutes(5)
  await send(false)
  expect(emails).toEqual([])
  expect((await bob.ask('POST', `${inbox}/read`, {})).status).toBe(200)
  await send()
  expect(emails).toEqual([])
})

test('a member who switched digests off gets none; after switching them on, only later notifications are sent', async () => {
  const settings = async (body?: object) =>
    (await bob.ask(body ? 'PATCH' : 'GET', `${inbox}/settings`, body)).body.data.email_digest
  expect(await settings()).toBe(true)
  expect(await settings({ email_digest: false })).toBe(false)
  await mention('Off')
  passMinutes(60)
  await send()
  expect(emails).toEqual([])
  expect(await settings({ email_digest: true })).toBe(true)
  await mention('On')
  passMinutes(5)
  await send()
  expect(emails.map(({ text }) => [text.includes('Off '), text.includes('On ')])).toEqual([[false, true]])
})

test('a member who is suspended, or may no longer see the list, gets no email', async () => {
  const full = (ids: readonly string[]) =>
    ids.map((workspace_member_id) => ({ workspace_member_id, level: 'full-access' }))
  const bobId = bob.memberIds[service.workspaceId] ?? ''
  const workspace_member_access = full([service.member.id, bobId])
  const list = await lists.list({ workspace_access: null, workspace_member_access })
  const entry = await lists.entry(list, record)
  await comments.comment(onEntry(list, entry), { content: bob.email_address })
  const alone = { workspace_access: null, workspace_member_access: full([service.member.id]) }
  await service.request('PATCH', `/v2/lists/${list}`, { data: alone })
  passMinutes(5)
  await send()
  await mention()
  const setRole = (role: string) =>
    service.db.sql`update relata.workspace_members set access_level = ${role} where id = ${bobId}`.execute()
  await setRole('suspended')
  passMinutes(15)
  await send()
  await setRole('member')
  await service.appContext.models.reload(service.workspaceId)
  expect(emails).toEqual([])
})

test('an email names the task that an API key assigned', async () => {
  const assignees = [
    { referenced_actor_type: 'workspace-member', referenced_actor_id: bob.memberIds[service.workspaceId] },
  ]
  const task = { content: 'Call Ada', format: 'plaintext', deadline_at: null, is_completed: false, linked_records: [] }
  await service.request('POST', '/v2/tasks', { data: { ...task, assignees } })
  passMinutes(5)
  await send()
  expect(emails[0]?.text).toStartWith(
    `An app or API key assigned you a task:\nCall Ada\nhttp://localhost:8080/${service.workspaceId}/inbox\n\n`,
  )
})

test('an email has at most twenty notifications, and the number of the others', async () => {
  for (let index = 0; index < 23; index++) await mention(`Number ${index}`)
  passMinutes(5)
  await send()
  const [email] = emails
  expect(email?.subject).toBe('23 new notifications in Workspace 1')
  expect(email?.text).toContain('Number 19 ')
  expect(email?.text).not.toContain('Number 20 ')
  expect(email?.text).toContain('\n\nAnd 3 more.\n\n')
})

test('an email counts at most a hundred notifications; the next email has the others', async () => {
  for (let index = 0; index < 101; index++) await mention(`Number ${index}`)
  passMinutes(5)
  await send()
  passMinutes(15)
  await send()
  expect(emails.map(({ subject }) => subject)).toEqual([
    '100 new notifications in Workspace 1',
    'A new notification in Workspace 1',
  ])
})

test('members get their emails when the digest of another member fails', async () => {
  const carol = await signedIn(service, { [service.workspaceId]: 'member' })
  await service.appContext.models.reload(service.workspaceId)
  await mention()
  // Bob's digest is due first. Its content is not what the service writes.
  await service.db.sql`update relata.comments set content = '[{"member":"nobody"}]'`
  passMinutes(1)
  await comments.comment(onRecord(record), { content: carol.email_address })
  passMinutes(5)
  await send()
  expect(emails.map(({ to }) => to)).toEqual([carol.email_address])
  expect(complaints).toHaveBeenCalledTimes(1)
})

test('an email that the mail server refuses is sent later, up to the limit of attempts', async () => {
  await mention()
  passMinutes(5)
  refusal = new Error('no')
  await send()
  refusal = undefined
  await send()
  expect([emails.length, complaints.mock.calls.length]).toEqual([0, 1])
  passMinutes(5)
  await send()
  expect(emails).toHaveLength(1)
  await mention()
  refusal = new Error('no')
  for (let tries = 0; tries < 12; tries++) {
    passMinutes(24 * 60)
    await send()
  }
  expect(complaints).toHaveBeenCalledTimes(11)
  const rows = await service.db.sql`select 1 from relata.inboxes where due_at is not null`
  expect(rows).toHaveLength(0)
})
