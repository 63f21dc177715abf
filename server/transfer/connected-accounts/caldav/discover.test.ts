import { describe, expect, test } from 'bun:test'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import { discoverCalendars } from './discover'

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
