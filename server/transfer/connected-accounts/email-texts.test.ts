/** Texts of emails on a small IMAP server: when they are read, who sees them, and that they are nowhere else. See docs/decisions/email-texts.md. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { accountOn, type ImapServer, startImapServer } from '../../../e2e/support/imap-server'
import { deleteUnwantedTexts } from '#crm/mailboxes/email-texts'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import { tablesWith } from '#testing/whole-person'
import type { RunningQueueWorker } from '#engine/queue'
import { accountWorker } from './worker'

const service = useTestService()
const ada = usePerson(service)
const bob = usePerson(service)
const carl = usePerson(service, 'member')

let server: ImapServer
let worker: RunningQueueWorker
let domain = ''
beforeEach(() => {
  domain = `d${crypto.randomUUID().slice(0, 8)}.mil`
  server = startImapServer()
  worker = accountWorker({ renewMs: 50 }).start(service.appContext)
})
afterEach(async () => {
  for (const person of [ada, bob])
    for (const { id } of await accountsOf(person)) await person.ask('DELETE', `${accounts()}/${id}`)
  worker.wake()
  await until(async () => (await accountsOf(ada)).length + (await accountsOf(bob)).length === 0)
  await worker.stop()
  server.stop()
  await setTexts(false)
})

const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
const accountsOf = async (
  person: typeof ada,
): Promise<
  {
    id: string
    progress: { texts_left: number | null; problems: object[] }
  }[]
> => (await person.ask('GET', accounts())).body.data

async function setTexts(stores_email_texts: boolean) {
  const { status } = await bob.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { stores_email_texts })
  expect(status).toBe(200)
  worker.wake()
}

const message = (name: string, body: readonly string[], headers: Record<string, string> = {}) =>
  [
    ...Object.entries({
      From: `Grace <${name}@${domain}>`,
      To: 'ada@lovelace.org',
      Subject: name,
      Date: new Date().toUTCString(),
      'Message-ID': `<${name}@${domain}>`,
      ...headers,
    }).map(([key, value]) => `${key}: ${value}`),
    ...body,
  ].join('\r\n')

const plain = (name: string, text: string, headers: Record<string, string> = {}) => message(name, ['', text], headers)

async function connect(person = ada, changes: object = {}): Promise<string> {
  const { body } = await person.ask('POST', accounts(), accountOn(server, changes))
  worker.wake()
  return body.data.id
}

/** The ids of the emails that a person sees, by subject; those of other people's mailboxes only where they are not the own ones. */
async function idsOf(person: typeof ada): Promise<Map<string | null, string>> {
  const { body } = await person.ask('GET', `/console/v2/emails?limit=50&domain=${domain}`)
  return new Map(
    body.data.map((email: { subject_line: string | null; id: { email_id: string } }) => [
      email.subject_line,
      email.id.email_id,
    ]),
  )
}
const read = async (person: typeof ada, id: string | undefined) =>
  (await person.ask('GET', `/console/v2/emails/${id}`)).body.data
const textOf = async (person: typeof ada, subject: string | null) =>
  (await read(person, (await idsOf(person)).get(subject))).text
const untilText = (subject: string, text: string | null) => until(async () => (await idsOf(ada)).has(subject) && (await textOf(ada, subject)) === text) // prettier-ignore
const untilAllRead = () => until(async () => (await accountsOf(ada))[0]?.progress.texts_left === 0)

describe('a workspace that stores texts', () => {
  test('reads those of new and of stored emails, the newest first, with the names of attachments', async () => {
    server.add('INBOX', plain('old', 'Old text'), new Date('2020-01-01'))
    server.add('Archive', plain('older', 'Older text', { Date: 'Wed, 01 Jan 2020 10:00:00 +0000' }))
    const alternative = ['--in', 'Content-Type: text/plain; charset="iso-8859-1"', 'Content-Transfer-Encoding: quoted-printable', '', 'Meet at the caf=E9 tomorrow', '--in', 'Content-Type: text/html', '', '<b>other</b>', '--in--'] // prettier-ignore
    const attached = ['--out', 'Content-Type: application/pdf; name="offer.pdf"', 'Content-Transfer-Encoding: base64', 'Content-Disposition: attachment; filename="offer.pdf"', '', 'A'.repeat(78), '--out--'] // prettier-ignore
    const parts = ['Content-Type: multipart/mixed; boundary="out"', '', '--out', 'Content-Type: multipart/alternative; boundary="in"', '', ...alternative, ...attached] // prettier-ignore
    server.add('INBOX', message('parts', parts))
    server.add(
      'INBOX',
      message('html', [
        'Content-Type: text/html',
        '',
        '<style>p{}</style><p>Hello <a href="https://track.example">you</a>',
      ]),
    )
    await connect()
    await until(async () => (await idsOf(ada)).size === 4)
    expect([await textOf(ada, 'old'), server.fetchedTexts]).toEqual([null, []])
    await setTexts(true)
    await untilText('older', 'Older text')
    expect(await textOf(ada, 'old')).toBe('Old text')
    expect(await textOf(ada, 'html')).toBe('Hello you')
    const { text, is_text_cut, attachments, subject_line } = await read(ada, (await idsOf(ada)).get('parts'))
    expect({ text, is_text_cut, attachments, subject_line }).toEqual({
      text: 'Meet at the café tomorrow',
      is_text_cut: false,
      attachments: [{ name: 'offer.pdf', content_type: 'application/pdf', size: 57 }],
      subject_line: 'parts',
    })
    await untilAllRead()
    server.add('INBOX', plain('new', 'New text'))
    await untilText('new', 'New text')
    // The message of the archive is the oldest one.
    expect(server.fetchedTexts.slice(0, 4).toSorted()).toEqual([1, 1, 2, 3])
  })

  test('cuts long texts, and says so', async () => {
    await setTexts(true)
    server.add('INBOX', plain('long', 'word '.repeat(30_000)))
    await connect()
    await until(async () => (await idsOf(ada)).has('long') && (await textOf(ada, 'long')) !== null)
    const { text, is_text_cut } = await read(ada, (await idsOf(ada)).get('long'))
    expect([text.length <= 100_000, is_text_cut]).toEqual([true, true])
  })

  test('a text that the server does not send is tried three times, after all others, and listed', async () => {
    await setTexts(true)
    const uid = server.add('INBOX', plain('broken', 'x'))
    server.brokenTexts.add(uid)
    server.add('INBOX', plain('good', 'Good text'))
    await connect()
    await until(async () => {
      // Without this, the service would connect again after two seconds.
      await service.db.sql`update relata.connected_accounts set due_at = now() where leased_by is null`
      worker.wake()
      return ((await accountsOf(ada))[0]?.progress.problems.length ?? 0) > 0
    })
    expect((await accountsOf(ada))[0]?.progress.problems).toEqual([
      { item: `INBOX ${uid}`, reason: 'The server does not send its text.' },
    ])
    await untilText('good', 'Good text')
    expect(await textOf(ada, 'broken')).toBeNull()
  })

  test('a process that stops in the middle leaves the other texts to the next one', async () => {
    for (let index = 0; index < 120; index++) server.add('INBOX', plain(`message-${index}`, `Text ${index}`))
    await setTexts(true)
    await connect()
    await until(() => server.fetchedTexts.length > 0)
    await worker.stop()
    worker = accountWorker({ renewMs: 50 }).start(service.appContext)
    await untilAllRead()
    const rows = await service.db.sql<{ text: string }[]>`select text from relata.email_texts where text is not null`
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(Array.from({ length: 120 }, (_, n) => `Text ${n}`)))
  })

  test('does not read the text of another message that has the UID meanwhile', async () => {
    server.add('INBOX', plain('first', 'First text'))
    await connect()
    await until(async () => (await idsOf(ada)).has('first'))
    const inbox = server.folders.get('INBOX')
    if (inbox?.messages[0] !== undefined)
      inbox.messages[0] = { ...inbox.messages[0], text: plain('second', 'Second text') }
    await setTexts(true)
    await untilAllRead()
    expect(await textOf(ada, 'first')).toBeNull()
  })
})

describe('the setting', () => {
  test('403 for a member; the audit log has it; nothing is stored before', async () => {
    server.add('INBOX', plain('one', 'Marker wombat'))
    await connect()
    await until(async () => (await idsOf(ada)).has('one'))
    const path = `/console/api/workspaces/${service.workspaceId}`
    expect((await carl.ask('PATCH', path, { stores_email_texts: true })).status).toBe(403)
    expect((await bob.ask('PATCH', path, { stores_email_texts: 'yes' })).status).toBe(400)
    expect(await tablesWith(service, 'wombat')).toEqual([])
    await setTexts(true)
    await untilText('one', 'Marker wombat')
    const { body } = await bob.ask('GET', `${path}/audit-log`)
    expect(body.data[0]).toMatchObject({
      action: 'workspace.updated',
      details: { before: { stores_email_texts: false }, after: { stores_email_texts: true } },
    })
  })

  test('off: texts are shown to nobody at once, and deleted', async () => {
    server.add('INBOX', plain('one', 'Marker quokka'))
    await setTexts(true)
    await connect()
    await untilText('one', 'Marker quokka')
    await setTexts(false)
    expect(await textOf(ada, 'one')).toBeNull()
    expect(await deleteUnwantedTexts(service.db, service.appContext.now(), 1_000)).toBe(1)
    expect(await tablesWith(service, 'quokka')).toEqual([])
    await setTexts(true)
    await untilText('one', 'Marker quokka')
  })
})

describe('privacy', () => {
  test('the text is in no other table, and in no answer but that of the email', async () => {
    const values = { name: 'Hopper, Grace', email_addresses: [`one@${domain}`] }
    const { body: person } = await ada.ask('POST', '/console/v2/objects/people/records', { data: { values } })
    const record = person.data.id.record_id
    await setTexts(true)
    server.add('INBOX', plain('one', 'Marker platypus'))
    await connect()
    await untilText('one', 'Marker platypus')
    expect(await tablesWith(service, 'platypus')).toEqual(['relata.email_texts'])
    const search = { query: 'platypus', objects: ['people'], request_as: { type: 'workspace' } }
    const answers = await Promise.all([
      ada.ask('GET', `/console/v2/emails?domain=${domain}`),
      ada.ask('GET', `/console/v2/objects/people/records/${record}/activity`),
      ada.ask('GET', `/console/v2/objects/people/records/${record}`),
      ada.ask('POST', '/console/v2/objects/records/search', search),
      service.request('GET', '/v2/events'),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('platypus')
    const { body } = answers[1] ?? {}
    expect(body.data.find(({ type }: { type: string }) => type === 'email.sent').email.has_text).toBe(true)
  })

  test('colleagues, keys and admins see it only where everything is shared; the member always does', async () => {
    await setTexts(true)
    server.add('INBOX', plain('one', 'Marker numbat'))
    const id = await connect(ada, { sharing: 'exchange' })
    await untilText('one', 'Marker numbat')
    const email = (await idsOf(ada)).get('one')
    const seenBy = async () => {
      const answers = await Promise.all([
        read(ada, email),
        read(bob, email),
        read(carl, email),
        service.request('GET', `/v2/emails/${email}`).then(({ body }) => body.data),
      ])
      return answers.map((data) => (data === undefined ? 'absent' : data.text))
    }
    expect(await seenBy()).toEqual(['Marker numbat', null, null, null])
    expect(await read(bob, email)).toMatchObject({ subject_line: null, attachments: [] })
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'nothing' })
    expect(await seenBy()).toEqual(['Marker numbat', 'absent', 'absent', 'absent'])
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'everything' })
    expect(await seenBy()).toEqual(Array.from({ length: 4 }, () => 'Marker numbat'))
    const key = await service.keyWith(['record_permission:read'])
    expect((await service.request('GET', `/v2/emails/${email}`, undefined, { key })).status).toBe(403)
  })

  test('a message in two mailboxes is read by whom one of the accounts shares it with', async () => {
    const values = { name: 'Hopper, Grace', email_addresses: [`one@${domain}`] }
    const { body: person } = await ada.ask('POST', '/console/v2/objects/people/records', { data: { values } })
    await setTexts(true)
    server.add('INBOX', plain('one', 'Marker bilby'))
    await connect(bob, { sharing: 'everything' })
    await connect(ada, { sharing: 'exchange' })
    await untilText('one', 'Marker bilby')
    await untilAllRead()
    const path = `/console/v2/objects/people/records/${person.data.id.record_id}/activity`
    const { body } = await carl.ask('GET', path)
    const [item, ...others] = body.data.filter(({ type }: { type: string }) => type === 'email.sent')
    expect([others, item.email.has_text]).toEqual([[], true])
    expect((await read(carl, item.email.email_id)).text).toBe('Marker bilby')
    const [{ id } = { id: '' }] = await accountsOf(bob)
    await bob.ask('PATCH', `${accounts()}/${id}`, { sharing: 'exchange' })
    expect((await read(carl, item.email.email_id)).text).toBeNull()
    expect((await read(bob, item.email.email_id)).text).toBe('Marker bilby')
  })

  test('an email from which an excluded address was taken out has no text, also when the address is excluded later', async () => {
    await setTexts(true)
    const exclusions = `/console/api/workspaces/${service.workspaceId}/excluded-addresses`
    await ada.ask('PUT', exclusions, { patterns: ['clinic.org'] })
    server.add('INBOX', plain('before', 'Marker dingo', { Cc: 'doctor@clinic.org' }))
    server.add('INBOX', plain('later', 'Marker kowari', { Cc: 'nurse@hospice.org' }))
    await connect()
    await untilText('later', 'Marker kowari')
    await untilAllRead()
    expect(await tablesWith(service, 'dingo')).toEqual([])
    await ada.ask('PUT', exclusions, { patterns: ['clinic.org', 'hospice.org'] })
    worker.wake()
    await untilText('later', null)
    expect(await tablesWith(service, 'kowari')).toEqual([])
    await ada.ask('PUT', exclusions, { patterns: [] })
  })

  test('a person who is taken out of emails takes the texts along, and they are not read again', async () => {
    const values = { name: 'Hopper, Grace', email_addresses: [`one@${domain}`] }
    const { body: person } = await ada.ask('POST', '/console/v2/objects/people/records', { data: { values } })
    await setTexts(true)
    server.add('INBOX', plain('one', 'Marker potoroo', { Cc: `other@${domain}` }))
    await connect()
    await untilText('one', 'Marker potoroo')
    const path = `/console/v2/objects/people/records/${person.data.id.record_id}`
    expect((await ada.ask('DELETE', `${path}?permanent=true`)).status).toBe(200)
    await untilText('one', null)
    await setTexts(false)
    await deleteUnwantedTexts(service.db, service.appContext.now(), 1_000)
    await setTexts(true)
    await untilAllRead()
    expect(await tablesWith(service, 'potoroo')).toEqual([])
  })

  test('removing the account, and deleting the email, delete the text', async () => {
    await setTexts(true)
    server.add('INBOX', plain('one', 'Marker bandicoot'))
    server.add('INBOX', plain('two', 'Marker bettong'))
    const id = await connect()
    await untilText('one', 'Marker bandicoot')
    await untilAllRead()
    const email = (await idsOf(ada)).get('two')
    expect((await bob.ask('DELETE', `/console/v2/emails/${email}`)).status).toBe(200)
    expect(await tablesWith(service, 'bettong')).toEqual([])
    await ada.ask('DELETE', `${accounts()}/${id}`)
    expect(await read(bob, (await idsOf(ada)).get('one'))).toBeUndefined()
    worker.wake()
    await until(async () => (await accountsOf(ada)).length === 0)
    expect(await tablesWith(service, 'bandicoot')).toEqual([])
  })
})

describe('GET /v2/emails/{email_id}', () => {
  test('404 for an unknown email and one of another workspace, 400 for an id that is none', async () => {
    expect((await service.request('GET', `/v2/emails/${crypto.randomUUID()}`)).status).toBe(404)
    expect((await service.request('GET', '/v2/emails/nothing')).status).toBe(400)
  })
})
