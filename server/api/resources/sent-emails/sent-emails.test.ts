/** Sending email: the routes, and what the worker makes of a queued email at an SMTP and an IMAP server. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type ImapServer, startImapServer } from '../../../../e2e/support/imap-server'
import { type SmtpServer, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { fileClient } from '#testing/files'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { deleteOldSentEmails } from '#transfer/connected-accounts/sending/store'
import { sendingWorker } from '#transfer/connected-accounts/sending/worker'
import { accountWorker } from '#transfer/connected-accounts/worker'

const service = useTestService({ sendLimit: 60 })
const ada = usePerson(service)
const bob = usePerson(service, 'member')

let imap: ImapServer
let smtp: SmtpServer
beforeAll(() => {
  imap = startImapServer()
  smtp = startSmtpServer()
})
afterAll(() => {
  imap.stop()
  smtp.stop()
})
beforeEach(async () => {
  smtp.accepted.length = 0
  smtp.answer = '250 Accepted'
  smtp.onStep = () => undefined
  smtp.toRecipient.clear()
  await service.db.sql`delete from relata.sent_emails`
})

const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
const settings = (changes: object = {}) => ({
  host: '127.0.0.1',
  port: imap.port,
  security: 'none',
  user: 'ada@lovelace.org',
  smtp: { host: '127.0.0.1', port: smtp.port, security: 'none', user: 'ada@lovelace.org' },
  ...changes,
})

let accountId: string
beforeAll(async () => {
  const { body } = await ada.ask('POST', accounts(), {
    kind: 'imap',
    email_address: 'ada@lovelace.org',
    settings: settings(),
    secret: { password: 'secret' },
    sharing: 'everything',
    history_days: null,
  })
  accountId = body.data.id
})

const email = { to: ['grace@navy.mil'], subject: 'Hello', text: 'Dear Grace,\nhow are you?' }
const send = (changes: object = {}, person = ada, query = '') =>
  person.ask('POST', `/console/v2/emails/send${query}`, { data: { ...email, ...changes } })
const work = () => runWorker(sendingWorker, service.appContext)
const outcome = async (id: string) => (await ada.ask('GET', `/console/v2/emails/sent/${id}`)).body.data
const sendNow = async (changes: object = {}) => {
  const { status, body } = await send(changes)
  expect([status, body.message]).toEqual([200, undefined])
  await work()
  return outcome(body.data.id.sent_email_id)
}
/** Makes an email due that waits for its next attempt. */
const retryNow = async () => {
  await service.db.sql`update relata.sent_emails set due_at = now() - interval '1 second' where due_at is not null`
  await work()
}
const emailsWith = async (participant: string) =>
  (await ada.ask('GET', `/console/v2/emails?participants=${participant}`)).body.data
const syncNow = async () => {
  await ada.ask('POST', `${accounts()}/${accountId}/read`)
  const reader = accountWorker().start(service.appContext)
  await until(async () => (await ada.ask('GET', accounts())).body.data[0].synced_at !== null)
  return reader
}

describe('POST /v2/emails/send', () => {
  test('200; the server gets the message, the record has the email, the folder of sent messages a copy', async () => {
    const { body } = await send({
      cc: ['cc@navy.mil'],
      bcc: ['hidden@navy.mil', 'Grace@navy.mil'],
      html: '<p>Dear Grace</p>',
    })
    expect(body.data).toMatchObject({ state: 'queued', from: 'ada@lovelace.org', text: email.text, is_reply: false })
    await work()
    const sent = await outcome(body.data.id.sent_email_id)
    expect(sent).toMatchObject({ state: 'sent', error: null, text: null, html: null, next_attempt_at: null })
    expect(sent.recipients).toEqual([
      { role: 'to', email_address: 'grace@navy.mil', refusal: null },
      { role: 'cc', email_address: 'cc@navy.mil', refusal: null },
      { role: 'bcc', email_address: 'hidden@navy.mil', refusal: null },
    ])
    const [message] = smtp.accepted
    expect(message?.to).toEqual(['grace@navy.mil', 'cc@navy.mil', 'hidden@navy.mil'])
    expect(message?.text).toContain('Subject: Hello')
    expect(message?.text).toMatch(/From: "?Person \d+"? <ada@lovelace.org>/)
    expect(message?.text).toContain(`Message-ID: <${sent.message_id}>`)
    expect(message?.text).toContain('<p>Dear Grace</p>')
    expect(message?.text).not.toContain('hidden@navy.mil')
    const copies = imap.folders.get('Sent')?.messages ?? []
    expect(copies).toHaveLength(1)
    expect(copies[0]?.text).toContain('hidden@navy.mil')
    const [stored] = await emailsWith('grace@navy.mil')
    expect(stored).toMatchObject({ direction: 'outbound', subject_line: 'Hello' })
  })

  test('reading the folder of sent messages stores the email no second time', async () => {
    const reader = await syncNow()
    await until(async () => (await service.db.sql`select 1 from relata.synced_messages`).length === 1)
    await reader.stop()
    expect(await emailsWith('grace@navy.mil')).toHaveLength(1)
  })

  test('a reply is in the thread of the email that it answers', async () => {
    imap.add(
      'INBOX',
      [
        'From: charles@engine.org',
        'To: ada@lovelace.org',
        'Subject: Engine',
        'Message-ID: <two@engine.org>',
        'References: <one@engine.org>',
        `Date: ${new Date().toUTCString()}`,
        '',
        'x',
      ].join('\r\n'),
    )
    const reader = await syncNow()
    await until(async () => (await emailsWith('charles@engine.org')).length === 1)
    await reader.stop()
    const [{ id }] = await emailsWith('charles@engine.org')
    const reply = { to: ['charles@engine.org'], subject: undefined, reply_to_email_id: id.email_id }
    const sent = await sendNow(reply)
    expect(sent).toMatchObject({ state: 'sent', subject: 'Re: Engine', is_reply: true })
    expect(smtp.accepted[0]?.text).toContain('In-Reply-To: <two@engine.org>')
    expect(smtp.accepted[0]?.text).toMatch(/References: <one@engine.org>\s+<two@engine.org>/)
    const threads = await service.db.sql`select distinct thread_key from relata.emails e join relata.email_addresses a
      on a.email_id = e.id and a.email_address = 'charles@engine.org'`
    expect(threads).toHaveLength(1)
    const [newest] = await emailsWith('charles@engine.org')
    await sendNow({ ...reply, reply_to_email_id: newest.id.email_id })
    expect(smtp.accepted[1]?.text).toContain(`In-Reply-To: <${sent.message_id}>`)
    expect((await send({ ...reply, reply_to_email_id: crypto.randomUUID() })).body.code).toBe('value_not_found')
  })

  test('attachments are files of records', async () => {
    const { body: person } = await service.request('POST', '/v2/objects/people/records', { data: { values: { name: 'Doe, Jo' } } }) // prettier-ignore
    const id = await fileClient(service).file(person.data.id.record_id, {
      content: 'ten bytes!',
      name: 'Offer “1”.txt',
    })
    const sent = await sendNow({ attachment_file_ids: [id] })
    expect(sent.attachments).toEqual([{ file_id: id, name: 'Offer “1”.txt', content_size: 10 }])
    expect(smtp.accepted[0]?.text).toContain(btoa('ten bytes!'))
    const { body } = await send({ attachment_file_ids: [id] })
    await service.request('DELETE', `/v2/files/${id}`)
    await work()
    expect(await outcome(body.data.id.sent_email_id)).toMatchObject({ state: 'failed', error: { code: 'attachment_missing' } }) // prettier-ignore
    expect((await send({ attachment_file_ids: [id] })).body.code).toBe('value_not_found')
  })

  test('in a workspace that stores texts, the email has its text at once, unless an excluded address gets it as well', async () => {
    const setTexts = (stores_email_texts: boolean) =>
      ada.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { stores_email_texts })
    const exclude = (patterns: readonly string[]) =>
      ada.ask('PUT', `/console/api/workspaces/${service.workspaceId}/excluded-addresses`, { patterns })
    const textTo = async (address: string) => {
      const [{ id }] = await emailsWith(address)
      const { text, is_text_cut, attachments } = (await ada.ask('GET', `/console/v2/emails/${id.email_id}`)).body.data
      return { text, is_text_cut, attachments }
    }
    const { body: person } = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    const file = await fileClient(service).file(person.data.id.record_id, { content: 'ten bytes!', name: 'Offer.txt' })
    await setTexts(true)
    await sendNow({ to: ['texts@navy.mil'], text: 'Dear Grace,\r\n\r\n\r\nbye', attachment_file_ids: [file] })
    expect(await textTo('texts@navy.mil')).toEqual({
      text: 'Dear Grace,\n\nbye',
      is_text_cut: false,
      attachments: [{ name: 'Offer.txt', content_type: 'application/octet-stream', size: 10 }],
    })
    await exclude(['clinic.org'])
    await sendNow({ to: ['both@navy.mil'], cc: ['doctor@clinic.org'] })
    expect(await textTo('both@navy.mil')).toEqual({ text: null, is_text_cut: false, attachments: [] })
    await exclude([])
    await setTexts(false)
    await sendNow({ to: ['off@navy.mil'] })
    expect(await service.db.sql`select 1 from relata.email_texts where text like '%how are you%'`).toHaveLength(0)
  })

  test('with dry_run, 200 with the email, which is not sent', async () => {
    const { status, body } = await send({}, ada, '?dry_run=true')
    expect([status, body.data.subject, body.data.text]).toEqual([200, 'Hello', email.text])
    await work()
    expect([smtp.accepted.length, await outcome(body.data.id.sent_email_id)]).toEqual([0, undefined])
  })

  test('an idempotent request is sent once', async () => {
    for (const _ of [1, 2])
      await service.request('POST', '/console/v2/emails/send', { data: email }, { key: null, headers: { ...ada.headers, 'X-Workspace': service.workspaceId, 'Idempotency-Key': 'one' } }) // prettier-ignore
    await work()
    expect(smtp.accepted).toHaveLength(1)
  })

  test('400 for unsubscribed addresses', async () => {
    await service.request('POST', '/v2/sequences/unsubscribed_emails', { data: { email_addresses: ['gone@navy.mil'] } })
    const { status, body } = await send({ bcc: ['Gone@navy.mil'] })
    expect([status, body.code, body.email_addresses]).toEqual([400, 'recipient_unsubscribed', ['gone@navy.mil']])
  })

  test('an email to an address that unsubscribes while it waits is not sent', async () => {
    const { body } = await send({ to: ['later@navy.mil'] })
    await service.request('POST', '/v2/sequences/unsubscribed_emails', {
      data: { email_addresses: ['later@navy.mil'] },
    })
    await work()
    expect(await outcome(body.data.id.sent_email_id)).toMatchObject({
      state: 'failed',
      error: { code: 'recipient_unsubscribed', answer: null },
    })
    expect(smtp.accepted.flatMap(({ to }) => to)).not.toContain('later@navy.mil')
  })

  test.each([
    ['no recipient', { to: [] }],
    ['an address that is none', { to: ['grace'] }],
    ['an address of two lines', { to: ['grace@navy.mil\r\nBcc: eve@example.com'] }],
    ['a subject of two lines', { subject: 'Hello\r\nBcc: eve@example.com' }],
    ['no subject', { subject: undefined }],
    ['no text', { text: '' }],
    ['a text that is too long', { text: 'x'.repeat(200_001) }],
    ['51 recipients', { to: Array.from({ length: 51 }, (_, index) => `a${index}@navy.mil`) }],
    ['51 recipients in two roles', { bcc: Array.from({ length: 50 }, (_, index) => `a${index}@navy.mil`) }],
    ['an unknown member', { template: 'x' }],
    ['a sender that is none', { from: 'ada' }],
  ])('400 for %s', async (_, changes) => {
    const { status, body } = await send(changes)
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test('400 from an address of nobody, and from the account of another member', async () => {
    expect((await send({ from: 'eve@lovelace.org' })).body).toMatchObject({ status_code: 400, code: 'value_not_found' })
    expect((await send({ from: 'ada@lovelace.org' }, bob)).body).toMatchObject({
      status_code: 400,
      code: 'value_not_found',
    })
    expect((await send({ from: 'Ada@lovelace.org' })).status).toBe(200)
  })

  test('403 for a key of the workspace, and for a member who may not have accounts', async () => {
    const { status, body } = await service.request('POST', '/v2/emails/send', { data: email })
    expect([status, body.code]).toEqual([403, 'unauthorized'])
    const permit = (member_permissions: string[]) =>
      ada.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { member_permissions })
    await permit([])
    expect((await send({}, bob)).status).toBe(403)
    await permit(['connected_accounts'])
    expect((await send({}, bob)).status).toBe(400)
  })

  test('429 for more recipients in an hour than the account may have', async () => {
    const to = Array.from({ length: 30 }, (_, index) => `a${index}@navy.mil`)
    const answers = await Promise.all([send({ to }), send({ to }), send({ to })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBeString()
  })
})

describe('an email that is not accepted', () => {
  test('fails with the words of the server, and keeps its text', async () => {
    smtp.answer = '554 5.7.1 Looks like spam'
    expect(await sendNow()).toMatchObject({
      state: 'failed',
      error: { code: 'message_refused', answer: expect.stringContaining('Looks like spam') },
      text: email.text,
      sent_at: null,
    })
    expect(smtp.accepted).toHaveLength(0)
  })

  test('is tried again after a temporary refusal, also of the sign-in', async () => {
    smtp.answer = '451 4.3.0 Later'
    const { id, ...queued } = await sendNow()
    expect(queued).toMatchObject({ state: 'queued', error: { code: 'message_refused' } })
    expect(queued.next_attempt_at).toBeString()
    smtp.answer = '250 Accepted'
    await retryNow()
    expect(await outcome(id.sent_email_id)).toMatchObject({ state: 'sent', error: null })
    expect(smtp.accepted).toHaveLength(1)
  })

  test('fails after the third refusal of the password', async () => {
    smtp.password = 'changed'
    const { id, state } = await sendNow()
    expect(state).toBe('queued')
    await retryNow()
    await retryNow()
    expect(await outcome(id.sent_email_id)).toMatchObject({
      state: 'failed',
      error: { code: 'sign_in_refused', answer: expect.stringContaining('Wrong user or password') },
    })
    smtp.password = 'secret'
  })

  test('names the recipients that the server refused', async () => {
    smtp.toRecipient.set('nobody@navy.mil', '550 5.1.1 No such user')
    const sent = await sendNow({ cc: ['nobody@navy.mil'] })
    expect(sent.state).toBe('sent')
    expect(sent.recipients[1].refusal).toContain('No such user')
    smtp.toRecipient.set('grace@navy.mil', '550 5.1.1 No such user')
    expect(await sendNow()).toMatchObject({ state: 'failed', error: { code: 'message_refused' } })
  })
})

describe('an email whose outcome is unknown', () => {
  test('is not sent again when the connection ends after the message', async () => {
    smtp.answer = ''
    const { id, ...unknown } = await sendNow()
    expect(unknown).toMatchObject({ state: 'unknown', error: { code: 'outcome_unknown' }, text: email.text })
    await retryNow()
    expect([smtp.accepted.length, (await outcome(id.sent_email_id)).state]).toEqual([1, 'unknown'])
    // The copy of the server shows that it was sent.
    imap.add('Sent', smtp.accepted[0]?.text ?? '')
    const reader = await syncNow()
    await until(async () => (await outcome(id.sent_email_id)).state === 'sent')
    await reader.stop()
  })

  test('is one of which the server may have got everything: a large one whose connection ends within it is sent again', async () => {
    const { body: person } = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    const file = await fileClient(service).file(person.data.id.record_id, {
      content: 'x'.repeat(1_000_000),
      name: 'x',
    })
    smtp.onStep = (step) => (step === 'first line' ? 'drop' : undefined)
    const { id, ...queued } = await sendNow({ attachment_file_ids: Array.from({ length: 15 }, () => file) })
    expect(queued).toMatchObject({ state: 'queued', error: { code: 'connection_lost' } })
    smtp.onStep = () => undefined
    await retryNow()
    expect([(await outcome(id.sent_email_id)).state, smtp.accepted.length]).toEqual(['sent', 1])
  })

  test('is not sent again when the process ends meanwhile', async () => {
    const { body } = await send()
    await service.db
      .sql`update relata.sent_emails set state = 'sending', leased_by = gen_random_uuid(), due_at = now() - interval '1 second'`
    await work()
    expect(await outcome(body.data.id.sent_email_id)).toMatchObject({ state: 'unknown' })
    expect(smtp.accepted).toHaveLength(0)
  })

  test('a process that lost its lease does not begin the message', async () => {
    const { body } = await send()
    // Another process takes the email while this one says who the recipients are.
    let taken = 0
    smtp.onStep = async (step) => {
      if (step !== 'RCPT') return undefined
      taken++
      await service.db.sql`update relata.sent_emails set leased_by = gen_random_uuid()`
      return undefined
    }
    await work()
    expect([taken, smtp.accepted.length]).toEqual([1, 0])
    expect((await outcome(body.data.id.sent_email_id)).state).toBe('queued')
  })
})

describe('GET and DELETE /v2/emails/sent', () => {
  test('lists those of the member, by state, in pages', async () => {
    for (const subject of ['One', 'Two', 'Three']) await send({ subject })
    const first = await ada.ask('GET', '/console/v2/emails/sent?limit=2&state=queued')
    expect(first.body.data.map(({ subject }: { subject: string }) => subject)).toEqual(['Three', 'Two'])
    const rest = await ada.ask(
      'GET',
      `/console/v2/emails/sent?limit=2&state=queued&cursor=${first.body.pagination.next_cursor}`,
    )
    expect(rest.body).toMatchObject({ data: [{ subject: 'One' }], pagination: { next_cursor: null } })
    expect((await ada.ask('GET', '/console/v2/emails/sent?state=sent')).body.data).toEqual([])
    expect((await bob.ask('GET', '/console/v2/emails/sent')).body.data).toEqual([])
    expect((await service.request('GET', '/v2/emails/sent')).status).toBe(403)
  })

  test('200 deletes a queued email, which is not sent; 404 for that of another member and one that was sent', async () => {
    const { body } = await send()
    const path = `/console/v2/emails/sent/${body.data.id.sent_email_id}`
    expect((await bob.ask('DELETE', path)).status).toBe(404)
    expect((await ada.ask('DELETE', path)).status).toBe(200)
    await work()
    expect(smtp.accepted).toHaveLength(0)
    const sent = await sendNow()
    expect((await ada.ask('DELETE', `/console/v2/emails/sent/${sent.id.sent_email_id}`)).status).toBe(404)
    expect((await ada.ask('DELETE', '/console/v2/emails/sent/nothing')).status).toBe(400)
  })
})

test('emails are deleted 30 days later', async () => {
  const { body } = await send()
  const { id } = (await send({ subject: 'Old' })).body.data
  await service.db
    .sql`update relata.sent_emails set created_at = now() - interval '31 days' where id = ${id.sent_email_id}`
  expect(await deleteOldSentEmails(service.db, service.appContext.now(), 10)).toBe(1)
  const { data } = (await ada.ask('GET', '/console/v2/emails/sent')).body
  expect(data.map(({ id: each }: { id: object }) => each)).toEqual([body.data.id])
})

describe('the SMTP server of an account', () => {
  test('400 with the words of the server, and that it is about sending', async () => {
    smtp.password = 'other'
    const { status, body } = await ada.ask('PATCH', `${accounts()}/${accountId}`, { settings: settings() })
    smtp.password = 'secret'
    expect([status, body.problem]).toEqual([400, 'sign_in_refused'])
    expect(body.message).toStartWith('No email can be sent. The server refused the user name or the password. It said:')
  })

  test('an account without one sends nothing, also what is queued', async () => {
    const { body } = await send()
    await ada.ask('PATCH', `${accounts()}/${accountId}`, { settings: settings({ smtp: undefined }) })
    await work()
    expect(await outcome(body.data.id.sent_email_id)).toMatchObject({ state: 'failed', error: { code: 'account_does_not_send' } }) // prettier-ignore
    expect((await send()).body.code).toBe('value_not_found')
    await ada.ask('PATCH', `${accounts()}/${accountId}`, { settings: settings() })
  })

  test('emails of an account that is removed are not sent', async () => {
    await send()
    expect((await ada.ask('DELETE', `${accounts()}/${accountId}`)).status).toBe(200)
    await work()
    expect(smtp.accepted).toHaveLength(0)
    expect((await send()).body.code).toBe('value_not_found')
  })
})
