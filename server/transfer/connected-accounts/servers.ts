/** How connected accounts reach their servers: names are resolved and checked under the address rules of webhook targets. */

import { lookup, resolveMx, resolveSrv } from 'node:dns/promises'
import { createProviderFetch } from '#access/providers/provider-fetch'
import { untilAborted } from '#base/timing/wait'
import { type Address, type TargetPolicy, TargetRefused } from '#events/webhooks/send/target'
import { AccountProblem } from './account-problem'
import { createMailSignIn, type MailClients, type MailSignIn } from './sign-in/providers'
import { type AccountFetch, createAccountFetch } from './web-request'

export interface SrvRecord {
  readonly name: string
  readonly port: number
  readonly priority: number
}

export interface AccountServers {
  /** Signs members in at providers. Without it, accounts have passwords. */
  readonly signIn?: MailSignIn | undefined
  /** The address to connect to. Throws `AccountProblem`. */
  locate(host: string, port: number): Promise<Address>
  /** Whether a connection without encryption is allowed. */
  readonly allowsPlainText: boolean
  /** Certificates of authorities that the process trusts beside the usual ones. */
  readonly certificates?: string
  /** The SRV records of a name; rejects when there are none. */
  resolveSrv(name: string): Promise<readonly SrvRecord[]>
  /** The mail servers of a domain; rejects when there are none. */
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>
  /** Whether the host name has an address. */
  hasAddress(host: string): Promise<boolean>
  /** Reads at most 1 MB. Rejects without an answer in time. */
  fetch(url: string): Promise<Response>
  /** Requests of calendars. */
  readonly request: AccountFetch
}

interface ServerOptions {
  readonly targets: TargetPolicy
  readonly allowPrivate: boolean
  readonly mailClients?: MailClients
}

export function createAccountServers({ targets, allowPrivate, mailClients = {} }: ServerOptions): AccountServers {
  const fetch = createProviderFetch(targets)
  return {
    signIn: createMailSignIn(mailClients, targets),
    locate: (host, port) => locateIn(targets, host, port),
    allowsPlainText: allowPrivate,
    resolveSrv,
    resolveMx,
    hasAddress: async (host) => (await lookup(host, { all: true })).length > 0,
    request: createAccountFetch(targets),
    fetch: (url) => fetch(url, { method: 'GET', headers: {}, body: null, redirect: 'manual', signal: undefined }),
  }
}

const RESOLVE_TIMEOUT_MS = 5_000

async function locateIn(targets: TargetPolicy, host: string, port: number): Promise<Address> {
  const url = URL.parse(`https://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (url === null) throw new AccountProblem('unknown_host')
  const timeout = AbortSignal.timeout(RESOLVE_TIMEOUT_MS)
  try {
    return await untilAborted(timeout, targets.locate(url))
  } catch (error) {
    if (error instanceof TargetRefused) throw new AccountProblem('refused_address', null, { cause: error })
    throw new AccountProblem(timeout.aborted ? 'timed_out' : 'unknown_host', null, { cause: error })
  }
}
