/** Accounts whose members sign in at a provider: the flow, the tokens at IMAP, SMTP and CalDAV servers, and their refresh. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type CalendarServer, startCalendarServer } from '../../../../e2e/support/calendar-server'
import { type ImapServer, startImapServer } from '../../../../e2e/support/imap-server'
import { CLIENT } from '../../../../e2e/support/openid-provider'
import { type SmtpServer, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { calendar, event } from '#testing/calendars'
import { GRACE, hour } from '#testing/connected-calendars'
import { endTokens, type FalseProvider, startFalseProvider } from '#testing/false-provider'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { sendingWorker } from '#transfer/connected-accounts/sending/worker'
import { createAccountServers } from '#transfer/connected-accounts/servers'
import { createMailSignIn } from '#transfer/connected-accounts/sign-in/providers'
import { accountWorker } from '#transfer/connected-accounts/worker'

const targets = createTargetPolicy({ allowPrivate: true })
let provider: FalseProvider
// The service is made with the address of the provider.
beforeAll(async () => {
  provider = await startFalseProvider()
})
const service = useTestService({}, () => {
  const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret }
  const other = { ...client, issuer: provider.issuer, name: 'Navy', scope: 'mail', calendarScope: 'calendars' }
  return { accountServers: createAccountServers({ targets, allowPrivate: true, mailClients: { other } }) }
})
const ada = usePerson(service)
const bob = usePerson(service)

let imap: ImapServer
let smtp: SmtpServer
let calendars: CalendarServer
beforeAll(() => {
  calendars = startCalendarServer()
  imap = startImapServer()
  smtp = startSmtpServer()
})
afterAll(() => {
  void provider.close()
  imap.stop()
  smtp.stop()
  calendars.stop()
})
beforeEach(async () => {
  await service.db.sql`delete from relata.synced_meetings`
  await service.db.sql`delete from relata.connected_accounts`
  Object.assign(provider, { refreshToken: 'r1', refreshes: 0, changes: {} })
  Object.assign(imap, { token: 'first', mechanism: 'XOAUTH2' })
  Object.assign(smtp, { token: 'first', mechanism: 'XOAUTH2' })
  Object.assign(calendars, { token: 'first', password: crypto.randomUUID() })
})

const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
const body = (changes: object = {}) => {
  const server = { host: '127.0.0.1', security: 'none', user: 'ada@lovelace.org' }
  const settings = { ...server, port: imap.port, smtp: { ...server, port: smtp.port, saves_sent: true } }
  return { kind: 'imap', provider: 'other', email_address: 'ada@lovelace.org', settings, sharing: 'nothing', history_days: 90, ...changes } // prettier-ignore
}
const begin = (changes: object = {}) => ada.ask('POST', `${accounts()}/sign-in`, body(changes))
const finish = (query: string, person = ada) => person.ask('POST', `${accounts()}/signed-in`, { query })
/** Signs in at the provider, and returns the query with which the browser comes back. */
const signIn = async (changes: object = {}) => provider.signIn((await begin(changes)).body.data.url, 'ada')
const connect = async () => (await finish(await signIn())).body.data
const account = async () => (await ada.ask('GET', accounts())).body.data[0]
describe('signing in', () => {
  test('200; the tokens are encrypted and in no answer; the servers accept them', async () => {
    const { body: begun } = await begin()
    const url = new URL(begun.data.url)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      redirect_uri: 'http://localhost:8080/settings/connected-accounts/callback',
      scope: 'mail',
      login_hint: 'ada@lovelace.org',
      code_challenge_method: 'S256',
    })
    const { status, body: made } = await finish(await provider.signIn(begun.data.url, 'ada'))
    expect([status, made.data.provider, made.data.email_address, made.message]).toEqual([200, 'other', 'ada@lovelace.org', undefined]) // prettier-ignore
    expect(JSON.stringify(made)).not.toContain('"r1"')
    const [row] = await service.db.sql<{ secret: string }[]>`select secret from relata.connected_accounts`
    expect(row?.secret).toStartWith('enc1.')
    expect(await service.db.sql`select 1 from relata.account_sign_ins`).toHaveLength(0)
  })

  test('200 at servers with OAUTHBEARER only', async () => {
    imap.mechanism = 'OAUTHBEARER'
    smtp.mechanism = 'OAUTHBEARER'
    const { body: made } = await finish(await signIn())
    expect([made.message, made.data?.provider]).toEqual([undefined, 'other'])
  })

  test('400 for a sign-in of another member, that was used, or that nobody began; each works once', async () => {
    const query = await signIn()
    expect((await finish(query, bob)).body.code).toBe('sign_in_not_found')
    expect((await finish(query)).status).toBe(200)
    expect((await finish(query)).body.code).toBe('sign_in_not_found')
    expect((await finish('?code=x&state=y')).body.code).toBe('sign_in_not_found')
    expect((await begin()).body.code).toBe('account_connected')
  })

  test('400 with the words of the provider, and when the mail server refuses the token', async () => {
    const state = new URL((await begin()).body.data.url).searchParams.get('state')
    const refused = await finish(`?error=access_denied&error_description=No&state=${state}&iss=${provider.issuer}`)
    expect([refused.status, refused.body.problem]).toEqual([400, 'sign_in_failed'])
    imap.token = 'another'
    const { status, body: answer } = await finish(await signIn())
    expect([status, answer.problem]).toEqual([400, 'sign_in_refused'])
    provider.refreshToken = ''
    expect((await finish(await signIn())).body.message).toContain('no refresh token')
  })

  test('400 for a provider that the operator has not set', async () => {
    const { status, body: refused } = await begin({ provider: 'google' })
    expect([status, refused.problem]).toEqual([400, 'no_provider'])
    expect((await begin({ provider: 'yahoo' })).status).toBe(400)
  })

  test('is offered where the provider is set', async () => {
    const { body: found } = await ada.ask('POST', `${accounts()}/discover`, { email_address: 'ada@gmail.com' })
    expect(found.data[0].provider).toBeNull()
  })
})

describe('tokens', () => {
  test('are refreshed before they end, for reading and for sending', async () => {
    await connect()
    imap.token = 'refresh 1'
    smtp.token = 'refresh 1'
    await endTokens(service)
    const worker = accountWorker().start(service.appContext)
    await until(async () => (await account()).synced_at !== null)
    await worker.stop()
    expect([provider.refreshes, (await account()).state]).toEqual([1, 'active'])
    smtp.token = 'refresh 2'
    await endTokens(service)
    await ada.ask('POST', '/console/v2/emails/send', { data: { to: ['grace@navy.mil'], subject: 'x', text: 'x' } })
    await runWorker(sendingWorker, service.appContext)
    expect([provider.refreshes, smtp.accepted.length]).toEqual([2, 1])
  })

  test('that the provider revoked have the member sign in again', async () => {
    const { id } = await connect()
    provider.refreshToken = 'r2'
    await endTokens(service)
    const worker = accountWorker().start({ ...service.appContext, mail: { ...service.appContext.mail, isDelivered: true } }) // prettier-ignore
    await until(async () => (await account()).state === 'sign-in-required')
    await worker.stop()
    expect((await account()).error).toMatchObject({
      code: 'sign_in_expired',
      answer: 'invalid_grant: Token was revoked',
    })
    expect(service.sentEmails.at(-1)?.subject).toBe('Sign in to ada@lovelace.org again')
    const again = await ada.ask('POST', `${accounts()}/sign-in`, { account_id: id })
    expect((await bob.ask('POST', `${accounts()}/sign-in`, { account_id: id })).status).toBe(404)
    const { body: fixed } = await finish(await provider.signIn(again.body.data.url, 'ada'))
    expect(fixed.data).toMatchObject({ id, state: 'active', error: null })
  })

  test('that the server refuses before their end are refreshed', async () => {
    const { id } = await connect()
    imap.token = 'refresh 1'
    const worker = accountWorker().start(service.appContext)
    await until(async () => (await account()).state === 'failing')
    await ada.ask('POST', `${accounts()}/${id}/read`)
    worker.wake()
    await until(async () => (await account()).synced_at !== null)
    await worker.stop()
    smtp.token = 'refresh 2'
    await ada.ask('POST', '/console/v2/emails/send', { data: { to: ['grace@navy.mil'], subject: 'x', text: 'x' } })
    await runWorker(sendingWorker, service.appContext)
    await service.db.sql`update relata.sent_emails set due_at = now() where due_at is not null`
    smtp.accepted.length = 0
    await runWorker(sendingWorker, service.appContext)
    expect([provider.refreshes, smtp.accepted.length]).toEqual([2, 1])
  })

  test('are removed when the member gives a password', async () => {
    const { id, settings } = await connect()
    const { body: changed } = await ada.ask('PATCH', `${accounts()}/${id}`, { settings: { ...settings, smtp: undefined }, secret: { password: 'secret' } }) // prettier-ignore
    expect(changed.data.provider).toBeNull()
    expect((await ada.ask('POST', `${accounts()}/sign-in`, { account_id: id })).status).toBe(404)
  })
})

describe('calendars', () => {
  const ofCalendars = () => {
    const settings = { url: `${calendars.url}/dav/`, user: 'ada@lovelace.org' }
    return { kind: 'caldav', provider: 'other', email_address: 'ada@lovelace.org', settings, sharing: 'nothing', history_days: 90 } // prettier-ignore
  }
  const connectCalendars = async () => (await finish(await signIn(ofCalendars()))).body
  const untilRead = () => until(async () => (await account()).synced_at !== null)

  test('200; the provider is asked for calendars only, the server accepts the token', async () => {
    const { body: begun } = await begin(ofCalendars())
    expect(new URL(begun.data.url).searchParams.get('scope')).toBe('calendars')
    const { body: made } = await finish(await provider.signIn(begun.data.url, 'ada'))
    expect(made.data).toMatchObject({ kind: 'caldav', provider: 'other', state: 'active' })
    expect((await begin(ofCalendars())).body.code).toBe('account_connected')
  })

  test('400 when the server refuses the token, or the access, with its words', async () => {
    calendars.token = 'another'
    expect(await connectCalendars()).toMatchObject({ status_code: 400, problem: 'sign_in_refused' })
    Object.assign(calendars, { token: 'first', status: 403 })
    const refused = await connectCalendars()
    calendars.status = 200
    expect(refused).toMatchObject({ problem: 'no_calendar', message: expect.stringContaining('403 No.') })
  })

  test('a token that ends while a calendar is read is refreshed', async () => {
    calendars.add('work', 'one.ics', calendar(event('one', ...hour(), ...GRACE)))
    await connectCalendars()
    let later = 0
    calendars.pause = async () => {
      // The listing of the calendar has begun with the first token.
      if (calendars.requests.at(-1)?.startsWith('PROPFIND /dav/calendars/ada/work/') !== true || later > 0) return
      later = 3_500_000_000
      calendars.token = 'refresh 1'
    }
    const { now } = service.appContext
    const worker = accountWorker().start({ ...service.appContext, now: () => now() + later })
    await untilRead()
    await worker.stop()
    calendars.pause = () => Promise.resolve()
    expect([provider.refreshes, (await account()).progress.stored]).toEqual([1, 1])
  })

  test('whose tokens the provider revoked have the member sign in again', async () => {
    const { id } = (await connectCalendars()).data
    provider.refreshToken = 'r2'
    await endTokens(service)
    const worker = accountWorker().start(service.appContext)
    await until(async () => (await account()).state === 'sign-in-required')
    const inbox = await ada.ask('GET', `/console/api/workspaces/${service.workspaceId}/inbox`)
    expect(JSON.stringify(inbox.body)).toContain(id)
    const again = await ada.ask('POST', `${accounts()}/sign-in`, { account_id: id })
    expect(new URL(again.body.data.url).searchParams.get('scope')).toBe('calendars')
    expect((await finish(await provider.signIn(again.body.data.url, 'ada'))).body.data).toMatchObject({ id, state: 'active' }) // prettier-ignore
    worker.wake()
    await untilRead()
    await worker.stop()
  })

  test('400 at a provider without calendars', async () => {
    const settings = { url: 'https://outlook.office.com/', user: 'ada@outlook.com' }
    const { status, body: refused } = await begin({ ...ofCalendars(), provider: 'microsoft', settings })
    expect([status, refused.problem]).toEqual([400, 'no_provider'])
    expect((await begin({ ...ofCalendars(), settings: { host: 'x' } })).status).toBe(400)
  })
})

test('Google and Microsoft need no metadata', async () => {
  const client = { clientId: 'c', clientSecret: 's' }
  const presets = createMailSignIn({ google: client, microsoft: client }, targets)
  const idsFor = (kind: 'imap' | 'caldav') => presets.providersFor(kind).map(({ id }) => id)
  expect([idsFor('imap'), idsFor('caldav')]).toEqual([['google', 'microsoft'], ['google']])
  const urlAt = async (id: 'google' | 'microsoft', kind: 'imap' | 'caldav') =>
    new URL((await presets.begin(id, 'https://crm.example/callback', { kind, address: 'ada@gmail.com' })).url)
  const google = await urlAt('google', 'imap')
  expect([google.host, google.searchParams.get('scope'), google.searchParams.get('access_type')]).toEqual([
    'accounts.google.com',
    'https://mail.google.com/',
    'offline',
  ])
  const calendarScope = (await urlAt('google', 'caldav')).searchParams.get('scope')
  expect(calendarScope).toBe('https://www.googleapis.com/auth/calendar.readonly')
  expect(await urlAt('microsoft', 'caldav').catch((error: unknown) => error)).toMatchObject({ code: 'no_provider' })
  const microsoft = await urlAt('microsoft', 'imap')
  expect([microsoft.host, microsoft.searchParams.get('scope')]).toEqual([
    'login.microsoftonline.com',
    expect.stringContaining('offline_access'),
  ])
})
