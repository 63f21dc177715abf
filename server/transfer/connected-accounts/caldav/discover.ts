/** Finds the CalDAV server of an email address: a large provider, SRV records and the well-known address (RFC 6764). */

import { domainOf } from '#crm/mailboxes/email'
import { findProvider, firstProposals, type ProposedAccount } from '#transfer/connected-accounts/discover'
import type { AccountServers } from '#transfer/connected-accounts/servers'

type Proposal = Extract<ProposedAccount, { kind: 'caldav' }>

/** Returns the proposals of the best source that has some. `address` is normalised. */
export const discoverCalendars = (servers: AccountServers, address: string): Promise<Proposal[]> =>
  firstProposals([fromProvider, fromSrv, fromWellKnown].map((source) => source(servers, address)))

const APP_PASSWORD = 'needs an app password, which you make in the security settings of your account there.'

const PROVIDERS = [
  {
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mailServers: ['mail.icloud.com'],
    url: 'https://caldav.icloud.com/',
    hint: `Apple ${APP_PASSWORD}`,
  },
  {
    domains: ['yahoo.com', 'ymail.com', 'yahoo.de', 'yahoo.co.uk', 'yahoo.fr'],
    mailServers: ['yahoodns.net'],
    url: 'https://caldav.calendar.yahoo.com/',
    hint: `Yahoo ${APP_PASSWORD}`,
  },
  {
    domains: ['fastmail.com', 'fastmail.fm'],
    mailServers: ['messagingengine.com'],
    url: 'https://caldav.fastmail.com/',
    hint: `Fastmail ${APP_PASSWORD}`,
  },
]

async function fromProvider(servers: AccountServers, address: string): Promise<Proposal[]> {
  const provider = await findProvider(servers, address, PROVIDERS)
  return provider === undefined ? [] : [proposal('provider', provider.url, address, provider.hint)]
}

const proposal = (source: Proposal['source'], url: string, user: string, hint: string | null = null): Proposal => ({
  kind: 'caldav',
  source,
  settings: { url, user },
  hint,
})

/** A record with the name `.` says that there is no such service. The path is found by the well-known address. */
async function fromSrv(servers: AccountServers, address: string): Promise<Proposal[]> {
  const records = await servers.resolveSrv(`_caldavs._tcp.${domainOf(address)}`)
  return records
    .toSorted((a, b) => a.priority - b.priority)
    .flatMap(({ name, port }) => {
      const url = URL.parse(`https://${name.replace(/\.$/, '')}${port === 443 ? '' : `:${port}`}/`)
      return url === null || !url.hostname.includes('.') ? [] : [proposal('srv', url.href, address)]
    })
}

/** Statuses of a server that has calendars: a redirect, a sign-in, or an answer that wants another method. */
const FOUND = new Set([301, 302, 307, 308, 401, 405])

async function fromWellKnown(servers: AccountServers, address: string): Promise<Proposal[]> {
  const url = `https://${domainOf(address)}/.well-known/caldav`
  const { status } = await servers.fetch(url)
  return FOUND.has(status) ? [proposal('well-known', url, address)] : []
}
