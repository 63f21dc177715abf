/** Accounts with the tokens of a provider on Dovecot, which asks the provider whether they are active. Without Dovecot, the tests are not run. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { CLIENT } from '../../../e2e/support/openid-provider'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { deliver, type Dovecot, DOVECOT, startDovecot } from '#testing/dovecot'
import { endTokens, type FalseProvider, startFalseProvider } from '#testing/false-provider'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import { createAccountServers } from './servers'
import { accountWorker } from './worker'

if (DOVECOT === null) console.log('Not run: the tests of tokens on Dovecot, because dovecot-imapd is not installed.')

let provider: FalseProvider
// The service is made with the address of the provider.
beforeAll(async () => {
  provider = await startFalseProvider()
})
afterAll(() => provider.close())
const service = useTestService({}, () => {
  const other = { clientId: CLIENT.id, clientSecret: CLIENT.secret, issuer: provider.issuer, name: 'Navy', scope: 'mail' } // prettier-ignore
  const targets = createTargetPolicy({ allowPrivate: true })
  return { accountServers: createAccountServers({ targets, allowPrivate: true, mailClients: { other } }) }
})
const ada = usePerson(service)
const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
const account = async () => (await ada.ask('GET', accounts())).body.data[0]
const subjects = async (): Promise<string[]> =>
  (await ada.ask('GET', '/console/v2/emails')).body.data.map((email: { subject_line: string }) => email.subject_line)
const isStored = async (subject: string) => (await subjects()).includes(subject)

/** Reads the account now, and until the condition is true. */
async function readUntil(isSo: () => Promise<boolean>): Promise<void> {
  await service.db.sql`update relata.connected_accounts set due_at = now()`
  const worker = accountWorker().start(service.appContext)
  await until(isSo)
  await worker.stop()
}

const message = (subject: string) =>
  `From: grace@navy.mil\nTo: ada@lovelace.org\nSubject: ${subject}\nDate: ${new Date().toUTCString()}\nMessage-ID: <${crypto.randomUUID()}@navy.mil>\n\nbody\n`

describe.if(DOVECOT !== null).each(['xoauth2', 'oauthbearer'] as const)('Dovecot with %s', (mechanism) => {
  let server: Dovecot
  beforeAll(async () => {
    server = await startDovecot('secret', { tokens: { mechanism, introspectionUrl: `${provider.issuer}/introspect` } })
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await service.db.sql`delete from relata.connected_accounts`
    Object.assign(provider, { refreshToken: 'r1', refreshes: 0, activeToken: 'first' })
  })

  async function signIn() {
    const settings = { host: '127.0.0.1', port: server.port, security: 'none', user: server.user }
    const body = { kind: 'imap', provider: 'other', email_address: 'ada@lovelace.org', settings, sharing: 'everything', history_days: null } // prettier-ignore
    const begun = await ada.ask('POST', `${accounts()}/sign-in`, body)
    const query = await provider.signIn(begun.body.data.url, 'ada')
    return ada.ask('POST', `${accounts()}/signed-in`, { query })
  }

  test('400 for a token that the provider did not give, with the words of the server', async () => {
    provider.activeToken = 'another'
    const { status, body } = await signIn()
    expect([status, body.problem]).toEqual([400, 'sign_in_refused'])
  })

  test('a token opens the mailbox; one that ended is refreshed, also when only the server knows that it has', async () => {
    deliver(server, message(`${mechanism} one`))
    expect((await signIn()).status).toBe(200)
    await readUntil(() => isStored(`${mechanism} one`))
    // As far as the service knows, the token has ended.
    provider.activeToken = 'refresh 1'
    await endTokens(service)
    deliver(server, message(`${mechanism} two`))
    await readUntil(() => isStored(`${mechanism} two`))
    expect(provider.refreshes).toBe(1)
    provider.activeToken = 'refresh 2'
    deliver(server, message(`${mechanism} three`))
    await readUntil(async () => (await account()).error?.code === 'sign_in_refused')
    await readUntil(async () => (await isStored(`${mechanism} three`)) && (await account()).state === 'active')
    // The provider gives no other one.
    Object.assign(provider, { refreshToken: 'r2', activeToken: 'none' })
    await endTokens(service)
    await readUntil(async () => (await account()).state === 'sign-in-required')
    expect((await account()).error.code).toBe('sign_in_expired')
  })
})
