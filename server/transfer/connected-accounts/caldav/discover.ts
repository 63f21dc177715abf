/**
 * Finds the CalDAV server of an email address: a large provider, SRV records, the provider that the operator has set, and the well-known address
 * (RFC 6764).
 */

import { domainOf } from '#crm/mailboxes/email'
import {
  findProvider,
  firstProposals,
  type LargeProvider,
  type ProposedAccount,
} from '#transfer/connected-accounts/discover'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { MailProviderId } from '#transfer/connected-accounts/settings'
import type { OfferedProvider } from '#transfer/connected-accounts/sign-in/providers'

type Proposal = Extract<ProposedAccount, { kind: 'caldav' }>

/** Returns the proposals of the best source that has some. `address` is normalised. */
export const discoverCalendars = (servers: AccountServers, address: string): Promise<Proposal[]> =>
  firstProposals([fromProvider, fromSrv, fromSetting, fromWellKnown].map((source) => source(servers, address)))

const APP_PASSWORD = 'needs an app password, which you make in the security settings of your account there.'

interface Provider extends LargeProvider {
  readonly url: (address: string) => string
  readonly hint: string | null
  /** The server accepts no passwords, so it is proposed where the operator has set up the sign-in. */
  readonly signsInAt?: MailProviderId
}

const PROVIDERS: readonly Provider[] = [
  {
    domains: ['gmail.com', 'googlemail.com'],
    mailServers: ['google.com', 'googlemail.com'],
    url: (address) => `https://apidata.googleusercontent.com/caldav/v2/${encodeURIComponent(address)}/user`,
    hint: null,
    signsInAt: 'google',
  },
  {
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mailServers: ['mail.icloud.com'],
    url: () => 'https://caldav.icloud.com/',
    hint: `Apple ${APP_PASSWORD}`,
  },
  {
    domains: ['yahoo.com', 'ymail.com', 'yahoo.de', 'yahoo.co.uk', 'yahoo.fr'],
    mailServers: ['yahoodns.net'],
    url: () => 'https://caldav.calendar.yahoo.com/',
    hint: `Yahoo ${APP_PASSWORD}`,
  },
  {
    domains: ['fastmail.com', 'fastmail.fm'],
    mailServers: ['messagingengine.com'],
    url: () => 'https://caldav.fastmail.com/',
    hint: `Fastmail ${APP_PASSWORD}`,
  },
]

async function fromProvider(servers: AccountServers, address: string): Promise<Proposal[]> {
  const provider = await findProvider(servers, address, PROVIDERS)
  if (provider === undefined) return []
  const { url, hint, signsInAt } = provider
  const isOffered = signsInAt === undefined || offeredIn(servers).some(({ id }) => id === signsInAt)
  return isOffered ? [proposal('provider', url(address), address, hint)] : []
}

const offeredIn = ({ signIn }: AccountServers): readonly OfferedProvider[] => signIn?.providersFor('caldav') ?? []

/** Comes before the well-known address, which many web servers redirect without having calendars. */
const fromSetting = async (servers: AccountServers, address: string): Promise<Proposal[]> =>
  offeredIn(servers).flatMap(({ calendarUrl }) =>
    calendarUrl === undefined ? [] : [proposal('provider', calendarUrl, address)],
  )

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
