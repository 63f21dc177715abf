/**
 * Finds the servers of an email address: by the mail servers of large providers, SRV records (RFC 6186), the configuration file of
 * Thunderbird (autoconfig), and usual names. See docs/connected-accounts.md (Find the server).
 */

import { domainOf } from '#crm/mailboxes/email'
import { withTimeout } from '#base/timing/wait'
import type { AccountServers } from './servers'
import type { CalDavSettings, ImapSettings, SmtpSettings } from './settings'

interface Proposed {
  /** `guess`: the name is a usual one and exists. */
  readonly source: 'provider' | 'srv' | 'well-known' | 'autoconfig' | 'guess'
  /** What the person has to know first, such as that the provider wants an app password. */
  readonly hint: string | null
}

export interface ProposedEmailAccount extends Proposed {
  readonly kind: 'imap'
  readonly settings: ImapSettings
}

export type ProposedAccount =
  ProposedEmailAccount | (Proposed & { readonly kind: 'caldav'; readonly settings: CalDavSettings })

/** Returns the proposals of the best source that has some. `address` is normalised. */
export const discoverAccounts = (servers: AccountServers, address: string): Promise<ProposedEmailAccount[]> =>
  firstProposals([fromProvider, fromSrv, fromAutoconfig, fromGuess].map((source) => source(servers, address)))

/** Each source answers within this time or is left out. */
const TIMEOUT_MS = 5_000

/** The proposals of the first source that has some. The sources are in the order of their trust, and are asked at the same time. */
export async function firstProposals<P>(sources: readonly Promise<P[]>[]): Promise<P[]> {
  const answers = sources.map((source) =>
    withTimeout(
      source.catch(() => []),
      TIMEOUT_MS,
    ),
  )
  for (const answer of answers) {
    const found = await answer
    if (found !== undefined && found.length > 0) return found
  }
  return []
}

/** What tells a large provider. */
export interface LargeProvider {
  /** The domains of its addresses, and the ends of the names of its mail servers. */
  readonly domains: readonly string[]
  readonly mailServers: readonly string[]
}

/** The provider of an address, also of one with a domain of its own whose mail servers are those of the provider. */
export async function findProvider<P extends LargeProvider>(
  servers: AccountServers,
  address: string,
  providers: readonly P[],
): Promise<P | undefined> {
  const domain = domainOf(address)
  const ofDomain = providers.find(({ domains }) => domains.includes(domain))
  if (ofDomain !== undefined) return ofDomain
  const names = (await servers.resolveMx(domain)).map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
  return providers.find(({ mailServers }) =>
    names.some((name) => mailServers.some((end) => name === end || name.endsWith(`.${end}`))),
  )
}

interface Provider extends LargeProvider {
  readonly host: string
  readonly smtp: Omit<SmtpSettings, 'user'>
  readonly hint: string | null
}

const APP_PASSWORD = 'needs an app password for IMAP, which you make in the security settings of your account there.'

const PROVIDERS: readonly Provider[] = [
  {
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    mailServers: ['mail.protection.outlook.com', 'olc.protection.outlook.com'],
    host: 'outlook.office365.com',
    smtp: { host: 'smtp.office365.com', port: 587, security: 'starttls', saves_sent: true },
    hint: 'Microsoft accepts no passwords for IMAP. The operator of this service can set up the sign-in at Microsoft.',
  },
  {
    domains: ['gmail.com', 'googlemail.com'],
    mailServers: ['google.com', 'googlemail.com'],
    host: 'imap.gmail.com',
    smtp: { host: 'smtp.gmail.com', port: 465, security: 'tls', saves_sent: true },
    hint: `Google ${APP_PASSWORD}`,
  },
  {
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mailServers: ['mail.icloud.com'],
    host: 'imap.mail.me.com',
    smtp: { host: 'smtp.mail.me.com', port: 587, security: 'starttls' },
    hint: `Apple ${APP_PASSWORD}`,
  },
  {
    domains: ['yahoo.com', 'ymail.com', 'yahoo.de', 'yahoo.co.uk', 'yahoo.fr'],
    mailServers: ['yahoodns.net'],
    host: 'imap.mail.yahoo.com',
    smtp: { host: 'smtp.mail.yahoo.com', port: 465, security: 'tls', saves_sent: true },
    hint: `Yahoo ${APP_PASSWORD}`,
  },
  {
    domains: ['fastmail.com', 'fastmail.fm'],
    mailServers: ['messagingengine.com'],
    host: 'imap.fastmail.com',
    smtp: { host: 'smtp.fastmail.com', port: 465, security: 'tls' },
    hint: `Fastmail ${APP_PASSWORD}`,
  },
]

async function fromProvider(servers: AccountServers, address: string): Promise<ProposedEmailAccount[]> {
  const provider = await findProvider(servers, address, PROVIDERS)
  if (provider === undefined) return []
  const { host, smtp, hint } = provider
  const settings = { host, port: 993, security: 'tls', user: address, smtp: { ...smtp, user: address } } as const
  return [proposal('provider', settings, hint)]
}

const proposal = (
  source: ProposedEmailAccount['source'],
  settings: ImapSettings,
  hint: string | null = null,
): ProposedEmailAccount => ({ kind: 'imap', source, settings, hint })

/** The services of RFC 6186 and RFC 8314, with the one over TLS first. */
const READING = [['_imaps', 'tls'], ['_imap', 'starttls']] as const // prettier-ignore
const SENDING = [['_submissions', 'tls'], ['_submission', 'starttls']] as const // prettier-ignore

async function fromSrv(servers: AccountServers, address: string): Promise<ProposedEmailAccount[]> {
  const [found, [smtp]] = await Promise.all([
    findServices(servers, address, READING),
    findServices(servers, address, SENDING),
  ])
  return found.map((settings) => proposal('srv', withSmtp(settings, smtp)))
}

const withSmtp = (settings: ImapSettings, smtp: SmtpSettings | undefined): ImapSettings =>
  smtp === undefined ? settings : { ...settings, smtp }

/** In the order of their priority. A record with the name `.` says that there is no such service. */
async function findServices(
  servers: AccountServers,
  address: string,
  services: typeof READING | typeof SENDING,
): Promise<ImapSettings[]> {
  const found = await Promise.all(
    services.map(async ([service, security]) => {
      const records = await servers.resolveSrv(`${service}._tcp.${domainOf(address)}`).catch(() => [])
      return records
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ name, port }) => ({ host: name.replace(/\.$/, ''), port, security, user: address }))
        .filter(({ host }) => isHostName(host))
    }),
  )
  return found.flat()
}

const isHostName = (text: string): boolean => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/i.test(text) && text.length <= 253

/** A file has one address of a provider and its servers, in the order of their preference. */
async function fromAutoconfig(servers: AccountServers, address: string): Promise<ProposedEmailAccount[]> {
  const domain = domainOf(address)
  const query = `emailaddress=${encodeURIComponent(address)}`
  const urls = [
    `https://autoconfig.${domain}/mail/config-v1.1.xml?${query}`,
    `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml?${query}`,
  ]
  const files = await Promise.all(urls.map((url) => readFile(servers, url).catch(() => '')))
  return files.flatMap((file) => parseAutoconfig(file, address)).slice(0, MAX_PROPOSALS)
}

const MAX_PROPOSALS = 4
/** Real files have a few thousand characters. */
const MAX_FILE = 64 * 1024

async function readFile(servers: AccountServers, url: string): Promise<string> {
  const response = await servers.fetch(url)
  const text = response.ok ? await response.text() : ''
  return text.length > MAX_FILE ? '' : text
}

const SECURITIES = { SSL: 'tls', STARTTLS: 'starttls' } as const

const INCOMING = {
  begin: /<incomingServer\b/i,
  end: /<\/incomingServer\s*>/i,
  type: /^[^>]*\btype\s*=\s*["']imap["']/i,
}
const OUTGOING = {
  begin: /<outgoingServer\b/i,
  end: /<\/outgoingServer\s*>/i,
  type: /^[^>]*\btype\s*=\s*["']smtp["']/i,
}

/** Servers without encryption, and files of another form, are left out. */
export function parseAutoconfig(xml: string, address: string): ProposedEmailAccount[] {
  const [smtp] = parseServers(xml, address, OUTGOING)
  return parseServers(xml, address, INCOMING).map((settings) => proposal('autoconfig', withSmtp(settings, smtp)))
}

function parseServers(xml: string, address: string, element: typeof INCOMING): ImapSettings[] {
  return xml.split(element.begin).slice(1).flatMap((rest) => {
    const end = rest.search(element.end)
    const server = end === -1 ? '' : rest.slice(0, end)
    if (!element.type.test(server)) return []
    const host = fill(textOf(server, 'hostname'), address)
    const port = Number(textOf(server, 'port'))
    const security = SECURITIES[textOf(server, 'socketType') as keyof typeof SECURITIES] as
      ImapSettings['security'] | undefined // a text that is no key has no value
    const user = fill(textOf(server, 'username'), address) || address
    const isUsable = isHostName(host) && Number.isInteger(port) && port > 0 && port < 65_536 && user.length <= 320
    return security !== undefined && isUsable ? [{ host, port, security, user }] : []
  }) // prettier-ignore
}

function textOf(xml: string, element: string): string {
  const start = xml.indexOf(`<${element}>`)
  const end = start === -1 ? -1 : xml.indexOf(`</${element}>`, start)
  return end === -1 ? '' : xml.slice(start + element.length + 2, end).trim()
}

/** The placeholders of the file's form. */
const fill = (text: string, address: string): string =>
  text
    .replaceAll('%EMAILADDRESS%', address)
    .replaceAll('%EMAILLOCALPART%', address.slice(0, address.lastIndexOf('@')))
    .replaceAll('%EMAILDOMAIN%', domainOf(address))

async function fromGuess(servers: AccountServers, address: string): Promise<ProposedEmailAccount[]> {
  const [imap, mail, smtp] = ['imap', 'mail', 'smtp'].map((name) => `${name}.${domainOf(address)}`) as [
    string,
    string,
    string,
  ] // as many as names
  const [hasImap, hasMail, hasSmtp] = await Promise.all(
    [imap, mail, smtp].map((host) => servers.hasAddress(host).catch(() => false)),
  )
  const usual = { security: 'tls', user: address } as const
  const sending = hasSmtp === true ? { host: smtp, port: 465, ...usual } : undefined
  return [...(hasImap === true ? [imap] : []), ...(hasMail === true ? [mail] : [])].map((host) =>
    proposal('guess', withSmtp({ host, port: 993, ...usual }, sending)),
  )
}
