/** Emails that are sent from records: their lists and activities, who sees them, and what becomes of the links. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type SmtpServer, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { addEmails } from '#testing/emails'
import { listClient } from '#testing/lists'
import { addSendingAccount } from '#testing/sending-account'
import { trashClient } from '#testing/trash'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { deleteOldSentEmails } from '#transfer/connected-accounts/sending/store'
import { sendingWorker } from '#transfer/connected-accounts/sending/worker'
import { removeAccount } from '#transfer/connected-accounts/store'
import { accountWorker } from '#transfer/connected-accounts/worker'

const service = useTestService()
const ada = usePerson(service)
const bob = usePerson(service, 'member')
const lists = listClient(service)
const trash = trashClient(service)

let smtp: SmtpServer
beforeAll(async () => {
  smtp = startSmtpServer()
  const data = { api_slug: 'projects', singular_noun: 'Project', plural_noun: 'Projects' }
  await service.request('POST', '/v2/objects', { data })
})
afterAll(() => smtp.stop())

let accountId: string
let memberId: string
beforeEach(async () => {
  await service.db.sql`delete from relata.connected_accounts`
  memberId = ada.memberIds[service.workspaceId] ?? ''
  accountId = await addSendingAccount(service, memberId, { port: smtp.port })
})

const link = (object: string, record_id: string) => ({ object, record_id })
const queue = (linked_records: object[], changes: object = {}) =>
  ada.ask('POST', '/console/v2/emails/send', {
    data: { to: ['grace@navy.mil'], subject: 'Hello', text: 'Dear Grace', linked_records, ...changes },
  })
const send = async (linked_records: object[], changes: object = {}) => {
  const { status, body } = await queue(linked_records, changes)
  expect([status, body.message]).toEqual([200, undefined])
  await runWorker(sendingWorker, service.appContext)
  return body.data
}
const share = (sharing: string) =>
  service.db.sql`update relata.connected_accounts set sharing = ${sharing} where id = ${accountId}`

type Email = { subject_line: string | null; email_id: string }
const activity = async (object: string, record: string, person = ada): Promise<Email[]> => {
  const { body } = await person.ask('GET', `/console/v2/objects/${object}/records/${record}/activity?type=email.sent`)
  return body.data.map(({ email }: { email: Email }) => email)
}
const subjects = async (object: string, record: string, person = ada) =>
  (await activity(object, record, person)).map(({ subject_line }) => subject_line)
const listed = async (object: string, record: string, person = ada) =>
  (await person.ask('GET', `/console/v2/emails?linked_object=${object}&linked_record_ids=${record}`)).body.data
const links = () => service.db.sql`select 1 from relata.email_links`

describe('an email that is sent from a record', () => {
  test('is in the activity and the list of the record, beside those found by address', async () => {
    const project = await lists.record('projects')
    const person = await lists.record('people', { email_addresses: ['grace@navy.mil'] })
    const queued = await send([link('projects', project), link('projects', project)])
    expect(queued.linked_records).toMatchObject([{ object_slug: 'projects', record_id: project }])
    const { body } = await ada.ask('GET', `/console/v2/emails/sent/${queued.id.sent_email_id}`)
    expect(body.data).toMatchObject({ state: 'sent', linked_records: [{ record_id: project }] })
    const [email, ...others] = await listed('projects', project)
    expect(others).toEqual([])
    expect(email.linked_records.map((each: { record_id: string }) => each.record_id)).toEqual([person, project])
    const one = await ada.ask('GET', `/console/v2/emails/${email.id.email_id}`)
    expect(one.body.data.linked_records).toEqual(email.linked_records)
    expect(await listed('people', person)).toEqual([email])
    expect(await subjects('projects', project)).toEqual(['Hello'])
    await service.request('DELETE', `/v2/objects/people/records/${person}?permanent=true`)
  })

  test('is once in the activity of a person who has the address and from whom it is sent', async () => {
    const person = await lists.record('people', { email_addresses: ['once@navy.mil'] })
    await send([link('people', person)], { to: ['once@navy.mil'] })
    await send([link('people', person)], { to: ['other@navy.mil'], subject: 'To another address' })
    expect((await subjects('people', person)).toSorted()).toEqual(['Hello', 'To another address'])
    expect(await listed('people', person)).toHaveLength(2)
  })

  test('is once in the activity when another mailbox has it, too, in pages', async () => {
    const company = await lists.record('companies', { domains: ['twice.dev'] })
    const sent = [
      await send([link('companies', company)], { to: ['x@twice.dev'], subject: 'One' }),
      await send([link('companies', company)], { to: ['x@twice.dev'], subject: 'Two' }),
    ]
    const rows = await service.db.sql<{ message_key: string; at: string }[]>`
      select message_key, sent_at::text as at from relata.emails where subject_line in ('One', 'Two')`
    expect(rows).toHaveLength(sent.length)
    await addEmails(
      service,
      rows.map(({ message_key, at }) => ({
        messageKey: message_key,
        threadKey: message_key,
        sentAt: at,
        direction: 'inbound',
        subjectLine: 'Copy',
        participants: [['from', 'ada@lovelace.org', null], ['to', 'x@twice.dev', null]],
      })),
    ) // prettier-ignore
    expect(await activity('companies', company)).toHaveLength(2)
    expect(await listed('companies', company)).toHaveLength(4)
    const path = `/console/v2/objects/companies/records/${company}/activity?type=email.sent&limit=1`
    const first = (await ada.ask('GET', path)).body
    const cursor = encodeURIComponent(first.pagination.next_cursor)
    const next = (await ada.ask('GET', `${path}&cursor=${cursor}`)).body
    expect(new Set([first, next].map(({ data }) => data[0].email.email_id)).size).toBe(2)
  })

  test('is seen by colleagues as far as the account is shared', async () => {
    const project = await lists.record('projects')
    await send([link('projects', project)])
    expect(await subjects('projects', project, bob)).toEqual(['Hello'])
    await share('exchange')
    expect(await subjects('projects', project, bob)).toEqual([null])
    await share('nothing')
    expect(await subjects('projects', project, bob)).toEqual([])
    expect(await listed('projects', project, bob)).toEqual([])
    expect((await service.request('GET', `/v2/objects/projects/records/${project}/activity?type=email.sent`)).body.data).toEqual([]) // prettier-ignore
    expect(await subjects('projects', project)).toEqual(['Hello'])
  })

  test('400 for an unknown object or record, and for too many; nothing is queued', async () => {
    await service.db.sql`delete from relata.sent_emails`
    const project = await lists.record('projects')
    const wrong = [
      [link('nothing', project)],
      [link('people', project)],
      [link('projects', crypto.randomUUID())],
      [{ object: 'projects', record_id: 'x' }],
      [{ object: 'projects' }],
      Array.from({ length: 11 }, () => link('projects', project)),
    ]
    for (const linked_records of wrong) expect((await queue(linked_records)).status).toBe(400)
    expect((await queue([link('projects', project)], { to: ['x'] })).status).toBe(400)
    expect(await service.db.sql`select 1 from relata.sent_emails`).toHaveLength(0)
    expect(await links()).toHaveLength(0)
  })
})

test('403 for a token that may not read records; without records, 200', async () => {
  const project = await lists.record('projects')
  const key = await service.memberKeyWith(['email:read-write'], memberId)
  const sendWith = (linked_records: object[]) =>
    service.request('POST', '/v2/emails/send', { data: { to: ['x@navy.mil'], subject: 'x', text: 'x', linked_records } }, { key }) // prettier-ignore
  expect([(await sendWith([link('projects', project)])).status, (await sendWith([])).status]).toEqual([403, 200])
})

describe('the link of an email', () => {
  test('moves with a merge, once where both records have it, and back with a restored original', async () => {
    const [primary, secondary] = [await lists.record('companies'), await lists.record('companies')]
    await send([link('companies', primary), link('companies', secondary)], { subject: 'Both' })
    await send([link('companies', secondary)], { subject: 'One' })
    await queue([link('companies', secondary)], { subject: 'Queued' })
    const data = { primary_record_id: primary, secondary_record_id: secondary }
    const { body } = await service.request('POST', '/v2/objects/companies/records/merge', { data })
    const merged = body.data.new_record_id
    await runWorker(sendingWorker, service.appContext)
    expect((await subjects('companies', merged)).toSorted()).toEqual(['Both', 'One', 'Queued'])
    expect((await trash.restore('companies', secondary)).status).toBe(200)
    expect((await subjects('companies', secondary)).toSorted()).toEqual(['Both', 'One', 'Queued'])
    expect(await subjects('companies', merged)).toEqual(['Both'])
  })

  test('goes to the trash with the record, comes back with it, and is deleted for good with it', async () => {
    const project = await lists.record('projects')
    await send([link('projects', project)])
    await trash.remove('projects', project)
    expect(await links()).toHaveLength(0)
    await trash.restore('projects', project)
    expect(await subjects('projects', project)).toEqual(['Hello'])
    await trash.purge('projects', project)
    expect(await links()).toHaveLength(0)
  })

  test('is left out of a record that is restored after the account was removed', async () => {
    const project = await lists.record('projects')
    await send([link('projects', project)])
    await trash.remove('projects', project)
    await service.db.sql`delete from relata.connected_accounts`
    expect((await trash.restore('projects', project)).status).toBe(200)
    expect(await subjects('projects', project)).toEqual([])
  })

  test('is deleted with the email, with an email that is not sent, and with the account', async () => {
    const project = await lists.record('projects')
    await send([link('projects', project)])
    const [{ id }] = await listed('projects', project)
    expect((await ada.ask('DELETE', `/console/v2/emails/${id.email_id}`)).status).toBe(200)
    expect(await links()).toHaveLength(0)
    const { body } = await queue([link('projects', project)])
    expect((await ada.ask('DELETE', `/console/v2/emails/sent/${body.data.id.sent_email_id}`)).status).toBe(200)
    expect(await links()).toHaveLength(0)
    await send([link('projects', project)])
    const member = { workspaceId: service.workspaceId, memberId }
    await removeAccount(service.db.sql, member, accountId, service.appContext.now())
    await runWorker(accountWorker(), service.appContext)
    expect([await links(), await listed('projects', project)]).toEqual([[], []])
  })

  test('outlasts the row of an email that was sent, and not that of one that was not', async () => {
    const project = await lists.record('projects')
    await send([link('projects', project)])
    await queue([link('projects', project)])
    await service.db.sql`update relata.sent_emails set created_at = now() - interval '31 days'`
    expect(await deleteOldSentEmails(service.db, service.appContext.now(), 10)).toBe(2)
    expect(await links()).toHaveLength(1)
    expect(await subjects('projects', project)).toEqual(['Hello'])
  })
})
