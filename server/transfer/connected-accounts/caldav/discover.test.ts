import { describe, expect, test } from 'bun:test'
import { createTargetPolicy } from '#events/webhooks/send/target'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import { createMailSignIn } from '#transfer/connected-accounts/sign-in/providers'
import { discoverCalendars } from './discover'

const targets = createTargetPolicy({ allowPrivate: true })
const none = () => Promise.reject(new Error('none'))
const NOTHING: AccountServers = {
  locate: none,
  allowsPlainText: false,
  resolveSrv: none,
  resolveMx: none,
  hasAddress: none,
  fetch: none,
  request: none,
}

const discover = async (servers: Partial<AccountServers>, address = 'ada@lovelace.org') =>
  (await discoverCalendars({ ...NOTHING, ...servers }, address)).map(({ source, settings, hint }) => [
    source,
    settings.url,
    settings.user,
    hint !== null,
  ])

describe('the CalDAV server of an email address', () => {
  test('a large provider by the domain, and by the mail servers of a company', async () => {
    const apple = ['provider', 'https://caldav.icloud.com/', 'ada@me.com', true]
    expect(await discover({}, 'ada@me.com')).toEqual([apple])
    const resolveMx = async () => [{ exchange: 'in1-smtp.messagingengine.com.' }]
    expect(await discover({ resolveMx })).toEqual([
      ['provider', 'https://caldav.fastmail.com/', 'ada@lovelace.org', true],
    ])
  })

  test('Google, where the operator has set up the sign-in', async () => {
    const signIn = createMailSignIn({ google: { clientId: 'c', clientSecret: 's' } }, targets)
    expect(await discover({}, 'ada@gmail.com')).toEqual([])
    const resolveMx = async () => [{ exchange: 'aspmx.l.google.com.' }]
    expect(await discover({ signIn, resolveMx })).toEqual([
      [
        'provider',
        'https://apidata.googleusercontent.com/caldav/v2/ada%40lovelace.org/user',
        'ada@lovelace.org',
        false,
      ],
    ])
  })

  test('the provider that the operator has set, after SRV records and before the well-known address', async () => {
    const other = { clientId: 'c', clientSecret: 's', issuer: 'https://id.lovelace.org', name: 'Ada', scope: 'mail', calendarScope: 'dav', calendarUrl: 'https://dav.lovelace.org' } // prettier-ignore
    const signIn = createMailSignIn({ other }, targets)
    const fetch = async () => new Response(null, { status: 301 })
    const configured = ['provider', 'https://dav.lovelace.org', 'ada@lovelace.org', false]
    expect(await discover({ signIn, fetch })).toEqual([configured])
    const resolveSrv = async () => [{ name: 'a.lovelace.org', port: 443, priority: 10 }]
    expect((await discover({ signIn, fetch, resolveSrv }))[0]?.[0]).toBe('srv')
    const withoutCalendars = createMailSignIn({ other: { ...other, calendarScope: undefined } }, targets)
    expect((await discover({ signIn: withoutCalendars, fetch }))[0]?.[0]).toBe('well-known')
  })

  test('SRV records by priority; a dot means that there is none', async () => {
    const resolveSrv = async (name: string) => {
      expect(name).toBe('_caldavs._tcp.lovelace.org')
      return [
        { name: 'b.lovelace.org.', port: 8443, priority: 20 },
        { name: 'a.lovelace.org', port: 443, priority: 10 },
        { name: '.', port: 0, priority: 1 },
      ]
    }
    expect(await discover({ resolveSrv })).toEqual([
      ['srv', 'https://a.lovelace.org/', 'ada@lovelace.org', false],
      ['srv', 'https://b.lovelace.org:8443/', 'ada@lovelace.org', false],
    ])
  })

  test('the well-known address, if something answers there', async () => {
    const url = 'https://lovelace.org/.well-known/caldav'
    const answer = (status: number) => ({ fetch: async () => new Response(null, { status }) })
    expect(await discover(answer(401))).toEqual([['well-known', url, 'ada@lovelace.org', false]])
    expect(await discover(answer(404))).toEqual([])
    expect(await discover({})).toEqual([])
  })
})
