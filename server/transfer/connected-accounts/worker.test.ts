/** Accounts on a small IMAP server: what is read, and that nothing is lost or stored twice. See dovecot.test.ts for a real server. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { accountOn, type ImapServer, startImapServer } from '../../../e2e/support/imap-server'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import type { RunningQueueWorker } from '#engine/queue'
import { accountWorker } from './worker'

const service = useTestService()
const ada = usePerson(service)
const bob = usePerson(service)
const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`

let server: ImapServer
let worker: RunningQueueWorker
beforeEach(() => {
  server = startImapServer()
  worker = startWorker()
})
afterEach(async () => {
  for (const { id } of (await ada.ask('GET', accounts())).body.data) await ada.ask('DELETE', `${accounts()}/${id}`)
  worker.wake()
  await until(async () => (await ada.ask('GET', accounts())).body.data.length === 0)
  await worker.stop()
  server.stop()
})

const startWorker = () =>
  accountWorker({ renewMs: 50 }).start({
    ...service.appContext,
    mail: { ...service.appContext.mail, isDelivered: true },
  })

const message = (name: string, headers: Record<string, string> = {}) =>
  [
    ...Object.entries({
      From: `${name}@navy.mil`,
      To: 'ada@lovelace.org',
      Subject: name,
      Date: new Date().toUTCString(),
      'Message-ID': `<${name}@navy.mil>`,
      ...headers,
    }).map(([key, value]) => `${key}: ${value}`),
    '',
    'body',
  ].join('\r\n')

async function connect(changes: object = {}) {
  const { body, status } = await ada.ask('POST', accounts(), accountOn(server, changes))
  worker.wake()
  return { status, ...body, ...body.data }
}

const subjects = async (): Promise<string[]> => {
  const { body } = await ada.ask('GET', '/console/v2/emails?limit=50')
  return body.data.map(({ subject_line }: { subject_line: string }) => subject_line).toSorted()
}
const account = async () => (await ada.ask('GET', accounts())).body.data[0]
const untilSynced = () =>
  until(async () => (await account())?.progress.phase === 'complete' && (await account()).synced_at !== null)

/** The messages of a folder, which the server has. */
const folder = (path: string) => {
  const found = server.folders.get(path)
  if (found === undefined) throw new Error('The server has no such folder.')
  return found
}

describe('a new account', () => {
  test('reads inbox, sent and archive; neither trash nor mail among colleagues', async () => {
    server.add('INBOX', message('one'))
    server.add('Sent', message('two', { From: 'ada@lovelace.org', To: 'grace@navy.mil' }))
    server.add('Archive', message('three'), new Date('2020-01-01'))
    server.add('Trash', message('four'))
    server.add('Projects', message('five'))
    server.add('INBOX', 'Subject: broken\r\n\r\n')
    await connect()
    await untilSynced()
    expect(await subjects()).toEqual(['one', 'three', 'two'])
    const { progress, state } = await account()
    expect(state).toBe('active')
    expect(progress).toMatchObject({ stored: 3, total: 4, problem_count: 1 })
    expect(progress.problems[0].reason).toContain('no sender')
    const { body } = await ada.ask('GET', '/console/v2/emails?participants=grace@navy.mil')
    expect(body.data[0].direction).toBe('outbound')
  })

  test('reads the newest messages first, as far back as the member chose, and further back later', async () => {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000)
    server.add('INBOX', message('ten'), day(10))
    server.add('INBOX', message('hundred'), day(100))
    server.add('INBOX', message('thousand'), day(1000))
    const { id } = await connect({ history_days: 365 })
    await untilSynced()
    expect(server.fetched).toEqual([1, 2])
    await ada.ask('PATCH', `${accounts()}/${id}`, { history_days: null })
    worker.wake()
    await until(async () => (await subjects()).length === 3)
    expect(server.fetched).toEqual([1, 2, 3])
  })

  test('reads a further folder that the member chooses, and forgets it again', async () => {
    server.add('Projects', message('five'))
    const { id, settings } = await connect()
    await untilSynced()
    expect(await subjects()).toEqual([])
    await ada.ask('PATCH', `${accounts()}/${id}`, { settings: { ...settings, folders: ['Projects', 'Trash'] } })
    worker.wake()
    await until(async () => (await subjects()).length === 1)
    await ada.ask('PATCH', `${accounts()}/${id}`, { settings })
    worker.wake()
    await until(async () => (await subjects()).length === 0)
  })
})

describe('news', () => {
  test('a new message appears and a deleted one disappears; a moved one stays one email', async () => {
    const first = server.add('INBOX', message('one'))
    const moved = server.add('INBOX', message('moved'))
    await connect()
    await untilSynced()
    server.add('INBOX', message('two'))
    await until(async () => (await subjects()).length === 3)
    folder('INBOX').messages = folder('INBOX').messages.filter(({ uid }) => uid !== moved)
    server.add('Archive', message('moved'))
    server.remove('INBOX', first)
    await until(async () => (await subjects()).join() === 'moved,two')
    expect((await account()).progress.stored).toBe(2)
  })

  test('a server without IDLE is asked when the account is due', async () => {
    server.hasIdle = false
    const { id } = await connect()
    await untilSynced()
    await until(() => server.openConnections === 0)
    server.add('INBOX', message('one'))
    await ada.ask('POST', `${accounts()}/${id}/read`)
    worker.wake()
    await until(async () => (await subjects()).length === 1)
  })

  test('a folder with other UIDs is read again; each email stays, and what is gone disappears', async () => {
    server.add('INBOX', message('one'))
    server.add('INBOX', message('gone'))
    const { id } = await connect()
    await untilSynced()
    const before = (await ada.ask('GET', '/console/v2/emails?domain=navy.mil')).body.data
    folder('INBOX').messages = [{ uid: 50, text: message('one'), at: new Date() }]
    Object.assign(folder('INBOX'), { uidValidity: 2, uidNext: 51 })
    await ada.ask('POST', `${accounts()}/${id}/read`)
    worker.wake()
    await until(async () => (await subjects()).join() === 'one')
    const after = (await ada.ask('GET', '/console/v2/emails?domain=navy.mil')).body.data
    expect(before.map(({ id }: { id: object }) => id)).toContainEqual(after[0].id)
  })
})

/** Has each attempt follow the one before at once. */
const untilItFails = (id: string, isDone: (state: string, syncedAt: string | null) => boolean) =>
  until(async () => {
    const { state, synced_at, error } = await account()
    if (error?.next_attempt_at != null) await ada.ask('POST', `${accounts()}/${id}/read`)
    worker.wake()
    return isDone(state, synced_at)
  })

describe('failures', () => {
  test('a connection that breaks off in the middle: every message is stored once', async () => {
    for (let index = 0; index < 20; index++) server.add('INBOX', message(`message-${index}`))
    server.messagesUntilCut = 7
    const { id } = await connect()
    await until(async () => (await account()).state === 'failing')
    expect((await account()).error).toMatchObject({
      code: 'connection_lost',
      message: 'The connection to the server broke off.',
    })
    server.messagesUntilCut = Number.POSITIVE_INFINITY
    await ada.ask('POST', `${accounts()}/${id}/read`)
    worker.wake()
    await untilSynced()
    expect((await subjects()).length).toBe(20)
    expect((await account()).progress.stored).toBe(20)
    expect(await account()).toMatchObject({ state: 'active', error: null })
  })

  test('a message that the server does not send is skipped and listed', async () => {
    for (let index = 0; index < 12; index++) server.add('INBOX', message(`message-${index}`))
    server.broken.add(5)
    const { id } = await connect()
    await untilItFails(id, (_, syncedAt) => syncedAt !== null)
    expect((await subjects()).length).toBe(11)
    expect((await account()).progress.problems).toEqual([{ item: 'INBOX 5', reason: 'The server does not send it.' }])
  })

  test('a process that stops in the middle leaves the account to the next one', async () => {
    for (let index = 0; index < 10; index++) server.add('INBOX', message(`message-${index}`))
    await connect()
    await worker.stop()
    worker = startWorker()
    await untilSynced()
    expect((await subjects()).length).toBe(10)
  })

  test('a password that no longer works: the inbox and an email ask for another one', async () => {
    const { id, settings } = await connect()
    await untilSynced()
    server.password = 'changed'
    server.disconnect()
    await untilItFails(id, (state) => state === 'sign-in-required')
    expect((await account()).error).toMatchObject({
      code: 'sign_in_refused',
      answer: 'Wrong user or password.',
      next_attempt_at: null,
    })
    const { body } = await ada.ask('GET', `/console/api/workspaces/${service.workspaceId}/inbox`)
    expect(body.accounts_to_sign_in).toEqual([{ id, email_address: 'ada@lovelace.org' }])
    expect(service.sentEmails.map(({ to, subject }) => [to, subject])).toEqual([
      [ada.email_address, 'Sign in to ada@lovelace.org again'],
    ])
    const refused = await ada.ask('PATCH', `${accounts()}/${id}`, { settings, secret: { password: 'wrong' } })
    expect([refused.status, refused.body.code]).toEqual([400, 'connection_failed'])
    const changed = await ada.ask('PATCH', `${accounts()}/${id}`, { secret: { password: 'changed' } })
    expect(changed.body.data).toMatchObject({ state: 'active', error: null })
    server.add('INBOX', message('one'))
    worker.wake()
    await until(async () => (await subjects()).length === 1)
  })

  test('a member who may not connect accounts any more: nothing is read until an admin permits it', async () => {
    const member = ada.memberIds[service.workspaceId] ?? ''
    const setLevel = async (level: string) =>
      void (await service.db.sql`update relata.workspace_members set access_level = ${level} where id = ${member}`)
    const permit = (member_permissions: string[]) =>
      bob.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { member_permissions })
    const { id } = await connect()
    await untilSynced()
    await setLevel('member')
    await permit([])
    await until(() => server.openConnections === 0)
    expect((await ada.ask('POST', `${accounts()}/${id}/read`)).status).toBe(403)
    server.add('INBOX', message('one'))
    expect((await permit(['connected_accounts'])).status).toBe(200)
    worker.wake()
    await until(async () => (await subjects()).length === 1)
    await setLevel('admin')
  })
})

describe('privacy', () => {
  const seenBy = async (person: typeof ada) => {
    const { body } = await person.ask('GET', '/console/v2/emails?domain=navy.mil')
    return body.data.map(({ subject_line }: { subject_line: string | null }) => subject_line)
  }

  test('colleagues see what the member shares; the member sees everything', async () => {
    server.add('INBOX', message('secret'))
    const { id } = await connect({ sharing: 'exchange' })
    await untilSynced()
    expect([await seenBy(ada), await seenBy(bob)]).toEqual([['secret'], [null]])
    const key = await service.request('GET', '/v2/emails?domain=navy.mil')
    expect(key.body.data.map(({ subject_line }: { subject_line: string | null }) => subject_line)).toEqual([null])
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'nothing' })
    expect([await seenBy(ada), await seenBy(bob)]).toEqual([['secret'], []])
    expect((await service.request('GET', '/v2/emails')).body.data).toEqual([])
    const { email_id } = (await ada.ask('GET', '/console/v2/emails')).body.data[0].id
    expect((await bob.ask('DELETE', `/console/v2/emails/${email_id}`)).status).toBe(404)
    await ada.ask('PATCH', `${accounts()}/${id}`, { sharing: 'everything' })
    expect([await seenBy(ada), await seenBy(bob)]).toEqual([['secret'], ['secret']])
  })

  test('excluded addresses and domains are never stored, and are deleted when they are excluded later', async () => {
    server.add('INBOX', message('doctor', { From: 'doctor@clinic.org' }))
    server.add('INBOX', message('both', { Cc: 'nurse@mail.clinic.org' }))
    await connect()
    await untilSynced()
    expect(await subjects()).toEqual(['both', 'doctor'])
    const exclusions = `/console/api/workspaces/${service.workspaceId}/excluded-addresses`
    const saved = await ada.ask('PUT', exclusions, { patterns: ['@Clinic.org', 'x@y.dev', 'clinic.org'] })
    expect(saved.body.data.patterns).toEqual(['clinic.org', 'x@y.dev'])
    worker.wake()
    await until(async () => (await subjects()).join() === 'both')
    const { body } = await ada.ask('GET', '/console/v2/emails')
    expect(JSON.stringify(body)).not.toContain('clinic')
    expect(await service.db.sql`select 1 from relata.email_domains where email_domain like '%clinic%'`).toHaveLength(0)
    server.add('INBOX', message('again', { From: 'doctor@clinic.org' }))
    server.add('INBOX', message('other'))
    await until(async () => (await subjects()).join() === 'both,other')
    expect((await ada.ask('PUT', exclusions, { patterns: [] })).status).toBe(200)
    worker.wake()
    await until(async () => (await subjects()).join() === 'again,both,doctor,other')
    expect((await ada.ask('PUT', exclusions, { patterns: ['no domain'] })).status).toBe(400)
  })

  test('removing an account deletes all that came from it', async () => {
    server.add('INBOX', message('one'))
    const { id } = await connect()
    await untilSynced()
    expect((await bob.ask('DELETE', `${accounts()}/${id}`)).status).toBe(404)
    expect((await ada.ask('DELETE', `${accounts()}/${id}`)).status).toBe(200)
    expect(await seenBy(bob)).toEqual([])
    worker.wake()
    await until(async () => (await account()) === undefined)
    for (const table of ['emails', 'email_addresses', 'email_domains', 'mailboxes', 'synced_messages'])
      expect(await service.db.sql.unsafe(`select 1 from relata.${table}`)).toHaveLength(0)
  })
})
