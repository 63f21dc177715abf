import { describe, expect, test } from 'bun:test'
import { discoverAccounts, parseAutoconfig } from './discover'
import type { AccountServers } from './servers'

const NOTHING: AccountServers = {
  locate: () => Promise.reject(new Error('none')),
  allowsPlainText: false,
  resolveSrv: () => Promise.reject(new Error('none')),
  resolveMx: () => Promise.reject(new Error('none')),
  hasAddress: () => Promise.reject(new Error('none')),
  fetch: () => Promise.reject(new Error('none')),
  request: () => Promise.reject(new Error('none')),
}

const discover = (servers: Partial<AccountServers>, address = 'ada@lovelace.org') =>
  discoverAccounts({ ...NOTHING, ...servers }, address)

const server = (parts: string) => `<incomingServer type="imap">${parts}</incomingServer>`
const GOOD = `<hostname>mail.%EMAILDOMAIN%</hostname><port>993</port><socketType>SSL</socketType><username>%EMAILLOCALPART%</username>`

describe('discovery', () => {
  test('a large provider by the domain, with what the person has to know', async () => {
    const [found] = await discover({}, 'ada@gmail.com')
    expect(found).toMatchObject({
      source: 'provider',
      settings: { host: 'imap.gmail.com', port: 993, security: 'tls' },
    })
    expect(found?.hint).toContain('app password')
  })

  test('a large provider by the mail servers of a company', async () => {
    const resolveMx = async () => [{ exchange: 'ASPMX.L.Google.com.' }]
    expect((await discover({ resolveMx }))[0]?.settings.host).toBe('imap.gmail.com')
    const other = async () => [{ exchange: 'notgoogle.com' }]
    expect(await discover({ resolveMx: other })).toEqual([])
  })

  test('SRV records by priority, TLS first; a dot means that there is none', async () => {
    const resolveSrv = async (name: string) =>
      name.startsWith('_imaps')
        ? [
            { name: 'b.lovelace.org.', port: 993, priority: 20 },
            { name: 'a.lovelace.org', port: 994, priority: 10 },
          ]
        : [{ name: '.', port: 0, priority: 0 }]
    expect((await discover({ resolveSrv })).map(({ settings }) => settings)).toEqual([
      { host: 'a.lovelace.org', port: 994, security: 'tls', user: 'ada@lovelace.org' },
      { host: 'b.lovelace.org', port: 993, security: 'tls', user: 'ada@lovelace.org' },
    ])
  })

  test('the server for sending, of providers, SRV records, files and usual names', async () => {
    expect((await discover({}, 'ada@gmail.com'))[0]?.settings.smtp).toEqual({
      host: 'smtp.gmail.com',
      port: 465,
      security: 'tls',
      user: 'ada@gmail.com',
      saves_sent: true,
    })
    const resolveSrv = async (name: string) => {
      const [service] = name.split('.')
      if (service === '_submissions') return [{ name: '.', port: 0, priority: 0 }]
      return [{ name: `${service?.slice(1)}.lovelace.org`, port: 587, priority: 0 }]
    }
    expect((await discover({ resolveSrv }))[0]?.settings).toMatchObject({
      host: 'imaps.lovelace.org',
      smtp: { host: 'submission.lovelace.org', port: 587, security: 'starttls', user: 'ada@lovelace.org' },
    })
    const outgoing = server(GOOD).replaceAll('incoming', 'outgoing').replace('imap', 'smtp').replace('993', '465')
    expect(parseAutoconfig(`${server(GOOD)}${outgoing}`, 'ada@lovelace.org')).toMatchObject([
      { settings: { port: 993, smtp: { host: 'mail.lovelace.org', port: 465, security: 'tls', user: 'ada' } } },
    ])
    const [guessed] = await discover({ hasAddress: async () => true })
    expect(guessed?.settings).toMatchObject({
      host: 'imap.lovelace.org',
      smtp: { host: 'smtp.lovelace.org', port: 465 },
    })
  })

  test('the file of Thunderbird at the well-known place', async () => {
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return url.includes('well-known') ? new Response(server(GOOD)) : new Response('', { status: 404 })
    }
    expect((await discover({ fetch }))[0]).toMatchObject({
      source: 'autoconfig',
      settings: { host: 'mail.lovelace.org', port: 993, security: 'tls', user: 'ada' },
    })
    expect(asked).toEqual([
      'https://autoconfig.lovelace.org/mail/config-v1.1.xml?emailaddress=ada%40lovelace.org',
      'https://lovelace.org/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=ada%40lovelace.org',
    ])
  })

  test('usual names that exist', async () => {
    const found = await discover({ hasAddress: async (host) => host.startsWith('mail.') })
    expect(found).toMatchObject([{ source: 'guess', settings: { host: 'mail.lovelace.org' } }])
  })

  test('nothing', async () => expect(await discover({})).toEqual([]))
})

describe('a configuration file', () => {
  test.each([
    ['without encryption', server(GOOD.replace('SSL', 'plain'))],
    ['of POP', server(GOOD).replace('imap', 'pop3')],
    ['with a wrong port', server(GOOD.replace('993', '0'))],
    ['with a host that is none', server(GOOD.replace('mail.%EMAILDOMAIN%', '<b>x</b>'))],
    ['that is no XML', 'x'.repeat(1000)],
    ['that ends early', server(GOOD).slice(0, 60)],
    ['with very many beginnings', '<incomingServer'.repeat(4000)],
  ])('%s has no proposals', (_, xml) => expect(parseAutoconfig(xml, 'ada@lovelace.org')).toEqual([]))
})
