/**
 * Sending through a Postfix, a real server, whose passwords and tokens a Dovecot checks. Where `postfix` or `dovecot-imapd` is not installed, and
 * for users other than root, the tests are not run, and say so.
 */

import type { Socket } from 'bun'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { CLIENT } from '../../../../e2e/support/openid-provider'
import { type SmtpServer, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { type Dovecot, DOVECOT, startDovecot } from '#testing/dovecot'
import { type FalseProvider, startFalseProvider } from '#testing/false-provider'
import { MESSAGE_SIZE_LIMIT, type Postfix, POSTFIX, startPostfix } from '#testing/postfix'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { createAccountServers } from '#transfer/connected-accounts/servers'
import { sendingWorker } from './worker'

const isInstalled = POSTFIX !== null && DOVECOT !== null
if (!isInstalled)
  console.log('Not run: the tests of sending through Postfix, which need postfix, dovecot-imapd and root.')

let provider: FalseProvider
// The service is made with the address of the provider.
beforeAll(async () => {
  provider = await startFalseProvider()
  Object.assign(provider, { refreshToken: 'r1' })
})
const service = useTestService({}, () => {
  const other = { clientId: CLIENT.id, clientSecret: CLIENT.secret, issuer: provider.issuer, name: 'Navy', scope: 'mail' } // prettier-ignore
  const targets = createTargetPolicy({ allowPrivate: true })
  return { accountServers: createAccountServers({ targets, allowPrivate: true, mailClients: { other } }) }
})
const ada = usePerson(service)

/** The server of the recipients, to which Postfix relays. */
let receiver: SmtpServer
let dovecot: Dovecot
let postfix: Postfix
let proxy: CuttingProxy
beforeAll(async () => {
  receiver = startSmtpServer()
  if (!isInstalled) return
  const tokens = { mechanism: 'xoauth2', introspectionUrl: `${provider.issuer}/introspect` } as const
  dovecot = await startDovecot('secret', { tokens })
  postfix = await startPostfix({ authPort: dovecot.authPort, relayPort: receiver.port })
  proxy = startCuttingProxy(postfix.port)
})
afterAll(async () => {
  receiver.stop()
  await provider.close()
  if (!isInstalled) return
  proxy.stop()
  await postfix.stop()
  await dovecot.stop()
})

const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
const account = (port: number) => {
  const server = { host: '127.0.0.1', security: 'none', user: 'ada' }
  const settings = { ...server, port: dovecot.port, smtp: { ...server, port } }
  return { kind: 'imap', email_address: 'ada@lovelace.org', settings, sharing: 'everything', history_days: null }
}
async function connect(port = postfix.port): Promise<void> {
  const { status, body } = await ada.ask('POST', accounts(), { ...account(port), secret: { password: 'secret' } })
  expect([status, body.message]).toEqual([200, undefined])
}

beforeEach(async () => {
  receiver.accepted.length = 0
  await service.db.sql`delete from relata.connected_accounts`
})

const outcome = async (id: string) => (await ada.ask('GET', `/console/v2/emails/sent/${id}`)).body.data
async function send(changes: object = {}) {
  const data = { to: ['grace@navy.mil'], subject: crypto.randomUUID(), text: 'Dear Grace', ...changes }
  const { body } = await ada.ask('POST', '/console/v2/emails/send', { data })
  await runWorker(sendingWorker, service.appContext)
  return outcome(body.data.id.sent_email_id)
}
async function sendAgain({ id }: { id: { sent_email_id: string } }) {
  await service.db.sql`update relata.sent_emails set due_at = now() where due_at is not null`
  await runWorker(sendingWorker, service.appContext)
  return outcome(id.sent_email_id)
}
/** Waits until Postfix has relayed emails with these subjects, and nothing else. */
async function untilRelayed(...subjects: string[]): Promise<void> {
  await until(() => receiver.accepted.length >= subjects.length)
  const found = receiver.accepted.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim())
  expect(found.toSorted()).toEqual(subjects.toSorted())
}
/** How many messages the folder of sent messages has. */
const copies = (): number =>
  readdirSync(dovecot.maildir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^\.Sent\/(?:cur|new)\/./.test(name),
  ).length

describe.if(isInstalled)('an email through Postfix', () => {
  test('is relayed once, with a copy in the folder of sent messages that is not made again', async () => {
    await connect()
    const before = copies()
    const sent = await send({ cc: ['charles@engine.org'], html: '<p>Dear Grace</p>' })
    expect(sent).toMatchObject({ state: 'sent', error: null })
    await untilRelayed(sent.subject)
    expect(receiver.accepted[0]?.to.toSorted()).toEqual(['charles@engine.org', 'grace@navy.mil'])
    expect(copies()).toBe(before + 1)
    await service.db.sql`update relata.sent_emails set needs_copy = true, body_text = 'x', due_at = now()`
    await runWorker(sendingWorker, service.appContext)
    expect(copies()).toBe(before + 1)
  })

  test('400 for a wrong password at Postfix alone, with its words', async () => {
    const { settings, ...others } = account(postfix.port)
    const smtp = { ...settings.smtp, user: 'eve' }
    const { body } = await ada.ask('POST', accounts(), { ...others, settings: { ...settings, smtp }, secret: { password: 'secret' } }) // prettier-ignore
    expect([body.problem, body.message]).toEqual(['sign_in_refused', expect.stringContaining('It said: 535 5.7.8')])
    expect(body.message).toStartWith('No email can be sent.')
  })

  test('signs in with the token of a provider', async () => {
    const begun = await ada.ask('POST', `${accounts()}/sign-in`, { ...account(postfix.port), provider: 'other' })
    const query = await provider.signIn(begun.body.data.url, 'ada')
    expect((await ada.ask('POST', `${accounts()}/signed-in`, { query })).status).toBe(200)
    const sent = await send()
    expect(sent.state).toBe('sent')
    await untilRelayed(sent.subject)
  })

  test('names refused recipients; without another one, it fails', async () => {
    postfix.answerTo({ 'nobody@navy.mil': '550 5.1.1 No such user' })
    await connect()
    const sent = await send({ cc: ['nobody@navy.mil'] })
    expect(sent.state).toBe('sent')
    expect(sent.recipients[1].refusal).toContain('No such user')
    expect(await send({ to: ['nobody@navy.mil'] })).toMatchObject({
      state: 'failed',
      error: { code: 'message_refused', answer: expect.stringContaining('No such user') },
    })
    await untilRelayed(sent.subject)
    expect(receiver.accepted[0]?.to).toEqual(['grace@navy.mil'])
  })

  test('is tried again when the server wants it later', async () => {
    postfix.answerTo({ 'grace@navy.mil': '450 4.2.0 Greylisted' })
    await connect()
    const queued = await send()
    expect(queued).toMatchObject({ state: 'queued', error: { answer: expect.stringContaining('Greylisted') } })
    postfix.answerTo({})
    expect(await sendAgain(queued)).toMatchObject({ state: 'sent', error: null })
    await untilRelayed(queued.subject)
  })

  test('that is larger than the server takes fails with its words', async () => {
    await connect()
    expect(await send({ text: 'x'.repeat(MESSAGE_SIZE_LIMIT) })).toMatchObject({
      state: 'failed',
      error: { code: 'message_refused', answer: 'Message size larger than allowed 100000' },
    })
  })

  test('whose connection is cut before the message is sent once; cut before the answer, its outcome is unknown', async () => {
    await connect(proxy.port)
    proxy.cut = 'before the message'
    const queued = await send()
    expect(queued).toMatchObject({ state: 'queued', error: { code: 'connection_lost' } })
    expect(await sendAgain(queued)).toMatchObject({ state: 'sent' })
    proxy.cut = 'before the answer'
    const unknown = await send()
    expect(unknown).toMatchObject({ state: 'unknown', text: 'Dear Grace' })
    expect(await sendAgain(unknown)).toMatchObject({ state: 'unknown' })
    await untilRelayed(queued.subject, unknown.subject)
  })
})

interface CuttingProxy {
  readonly port: number
  /** Where the next connection with a message is cut. */
  cut: 'before the message' | 'before the answer' | undefined
  stop(): void
}

interface ProxySession {
  target: Socket | undefined
  /** What the client has sent. */
  sent: string
  pending: Uint8Array[]
}

/** Hands on what a client and an SMTP server say, until it cuts their connection. */
function startCuttingProxy(port: number): CuttingProxy {
  const close = (client: Socket<ProxySession>) => {
    proxy.cut = undefined
    client.data.target?.end()
    client.end()
  }
  const listener = Bun.listen<ProxySession>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(client) {
        client.data = { target: undefined, sent: '', pending: [] }
        client.data.target = await Bun.connect({
          hostname: '127.0.0.1',
          port,
          socket: {
            data(_, bytes) {
              if (proxy.cut === 'before the answer' && client.data.sent.endsWith('\r\n.\r\n')) close(client)
              else client.write(bytes)
            },
            close: () => void client.end(),
          },
        })
        for (const bytes of client.data.pending) client.data.target.write(bytes)
      },
      data(client, bytes) {
        const { data } = client
        data.sent += new TextDecoder().decode(bytes)
        if (proxy.cut === 'before the message' && data.sent.endsWith('DATA\r\n')) return close(client)
        if (data.target === undefined) data.pending.push(bytes)
        else data.target.write(bytes)
      },
      close: ({ data }) => void data.target?.end(),
    },
  })
  const proxy: CuttingProxy = { port: listener.port, cut: undefined, stop: () => listener.stop(true) }
  return proxy
}
