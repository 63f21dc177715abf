/** The routes of connected accounts. server/transfer/connected-accounts/worker.test.ts has what is read. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { type ImapServer, startImapServer } from '../../../../e2e/support/imap-server'
import { usePerson, useTestService } from '#testing/use-service'
import { createAccountServers } from '#transfer/connected-accounts/servers'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
const strict = useTestService({}, () => ({
  accountServers: createAccountServers({ targets: createTargetPolicy({ allowPrivate: false }), allowPrivate: false }),
}))
const outside = usePerson(strict)

let server: ImapServer
beforeAll(() => {
  server = startImapServer()
})
afterAll(() => server.stop())

const accounts = (of = service) => `/console/api/workspaces/${of.workspaceId}/connected-accounts`
const body = (changes: object = {}, settings: object = {}) => ({
  kind: 'imap',
  email_address: 'Ada@Lovelace.org',
  settings: { host: '127.0.0.1', port: server.port, security: 'none', user: 'ada', ...settings },
  secret: { password: 'secret' },
  sharing: 'exchange',
  history_days: 365,
  ...changes,
})

describe('POST /connected-accounts', () => {
  test('200; the password is encrypted and in no answer; 409 for the same account again', async () => {
    const { status, body: made } = await member.ask('POST', accounts(), body())
    expect([status, made.data]).toEqual([
      200,
      expect.objectContaining({ email_address: 'ada@lovelace.org', sharing: 'exchange', state: 'active', error: null }),
    ])
    const list = await member.ask('GET', accounts())
    expect(list.body.data).toEqual([made.data])
    expect(JSON.stringify(list.body)).not.toContain('secret')
    const [row] = await service.db.sql<{ secret: string }[]>`select secret from relata.connected_accounts`
    expect(row?.secret).toStartWith('enc1.')
    const again = await member.ask('POST', accounts(), body())
    expect([again.status, again.body.code]).toEqual([409, 'account_connected'])
  })

  test('400 with the words of the server', async () => {
    const refused = await admin.ask('POST', accounts(), body({ secret: { password: 'wrong' } }))
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.objectContaining({
        code: 'connection_failed',
        problem: 'sign_in_refused',
        answer: 'Wrong user or password.',
        message: 'The server refused the user name or the password. It said: Wrong user or password.',
      }),
    ])
    server.refusal = '[UNAVAILABLE] Come back later.'
    const busy = await admin.ask('POST', accounts(), body({ secret: { password: 'wrong' } }))
    expect(busy.body).toMatchObject({ problem: 'server_busy', answer: 'Come back later.' })
  })

  test.each([
    ['at a port that nobody listens at', { port: 1 }, 'no_connection'],
    ['with TLS at a port without', { security: 'tls' }, 'no_encryption'],
    ['with STARTTLS at a server without', { security: 'starttls' }, 'no_encryption'],
    ['under a name without an address', { host: 'nothing.invalid' }, 'unknown_host'],
  ])('400 %s', async (_, settings, problem) => {
    const { status, body: refused } = await admin.ask('POST', accounts(), body({}, settings))
    expect([status, refused.problem]).toEqual([400, problem])
  })

  test('400 for a private address and without encryption, unless the operator allows private targets', async () => {
    const encrypted = await outside.ask('POST', accounts(strict), body({}, { security: 'tls' }))
    expect([encrypted.status, encrypted.body.problem]).toEqual([400, 'refused_address'])
    const metadata = await outside.ask('POST', accounts(strict), body({}, { security: 'tls', host: '169.254.169.254' }))
    expect([metadata.status, metadata.body.problem]).toEqual([400, 'refused_address'])
    const plain = await outside.ask('POST', accounts(strict), body())
    expect([plain.status, plain.body.problem]).toEqual([400, 'no_encryption'])
  })

  test.each([
    ['another kind', { kind: 'pop3' }],
    ['an address that is none', { email_address: 'ada' }],
    ['another sharing level', { sharing: 'some' }],
    ['no days', { history_days: 0 }],
    ['an empty password', { secret: { password: '' } }],
    ['a host with a path', { settings: { host: 'x/y', port: 993, security: 'tls', user: 'ada' } }],
    ['a user of two lines', { settings: { host: 'x', port: 993, security: 'tls', user: 'ada\r\nA LOGOUT' } }],
    ['a port that is none', { settings: { host: 'x', port: 70_000, security: 'tls', user: 'ada' } }],
  ])('400 for %s', async (_, changes) => {
    expect((await admin.ask('POST', accounts(), body(changes))).status).toBe(400)
  })
})

describe('the accounts of a member', () => {
  test('404 for everybody else, also for admins and another workspace', async () => {
    const [{ id }] = (await member.ask('GET', accounts())).body.data
    expect((await admin.ask('GET', accounts())).body.data).toEqual([])
    expect((await admin.ask('PATCH', `${accounts()}/${id}`, { sharing: 'nothing' })).status).toBe(404)
    expect((await admin.ask('POST', `${accounts()}/${id}/read`)).status).toBe(404)
    expect((await admin.ask('DELETE', `${accounts()}/${id}`)).status).toBe(404)
    expect((await outside.ask('DELETE', `${accounts(strict)}/${id}`)).status).toBe(404)
    expect((await member.ask('PATCH', `${accounts()}/nothing`, {})).status).toBe(404)
  })

  test('200 for a change, and 400 for settings that do not work', async () => {
    const [{ id, settings }] = (await member.ask('GET', accounts())).body.data
    const changed = await member.ask('PATCH', `${accounts()}/${id}`, { sharing: 'nothing', history_days: null })
    expect(changed.body.data).toMatchObject({ sharing: 'nothing', history_days: null, settings })
    const wrong = await member.ask('PATCH', `${accounts()}/${id}`, { settings: { ...settings, port: 1 } })
    expect([wrong.status, wrong.body.problem]).toEqual([400, 'no_connection'])
    const folders = await member.ask('PATCH', `${accounts()}/${id}`, {
      settings: { ...settings, folders: ['Projects'] },
    })
    expect(folders.body.data.settings.folders).toEqual(['Projects'])
  })

  test('403 without the permission, except for removing and seeing', async () => {
    const permit = (member_permissions: string[]) =>
      admin.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { member_permissions })
    const [{ id }] = (await member.ask('GET', accounts())).body.data
    await permit([])
    expect((await member.ask('POST', accounts(), body())).status).toBe(403)
    expect((await member.ask('POST', `${accounts()}/discover`, { email_address: 'ada@lovelace.org' })).status).toBe(403)
    expect((await member.ask('PATCH', `${accounts()}/${id}`, {})).status).toBe(403)
    expect((await member.ask('GET', accounts())).status).toBe(200)
    expect((await member.ask('DELETE', `${accounts()}/${id}`)).status).toBe(200)
    expect((await member.ask('GET', accounts())).body.data).toMatchObject([{ state: 'removing' }])
    await permit(['connected_accounts'])
  })

  test('409 for too many', async () => {
    for (let index = 0; index < 10; index++)
      expect((await admin.ask('POST', accounts(), body({}, { user: `user-${index}` }))).status).toBe(200)
    const { status, body: refused } = await admin.ask('POST', accounts(), body({}, { user: 'one more' }))
    expect([status, refused.code]).toEqual([409, 'too_many_accounts'])
  })
})

describe('PUT /excluded-addresses', () => {
  test('200 with each pattern once; the own domains are named beside them', async () => {
    const exclusions = `/console/api/workspaces/${service.workspaceId}/excluded-addresses`
    const { body: saved } = await admin.ask('PUT', exclusions, {
      patterns: ['Ada@Relata.dev', ' relata.dev', '@relata.dev'],
    })
    expect(saved.data).toEqual({ patterns: ['ada@relata.dev', 'relata.dev'], own_domains: expect.any(Array) })
    expect((await member.ask('GET', exclusions)).body.data.patterns).toEqual([])
    expect((await admin.ask('GET', exclusions)).body.data.patterns).toEqual(['ada@relata.dev', 'relata.dev'])
    expect((await admin.ask('PUT', exclusions, { patterns: ['%'] })).status).toBe(400)
  })
  test('200 for requests of one member at once; the last one applies', async () => {
    const exclusions = `/console/api/workspaces/${service.workspaceId}/excluded-addresses`
    const patterns = ['relata.dev', 'example.com']
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        admin.ask('PUT', exclusions, { patterns: [...patterns, `${n}.example.com`] }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await admin.ask('GET', exclusions)).body.data.patterns).toHaveLength(3)
  })
})
