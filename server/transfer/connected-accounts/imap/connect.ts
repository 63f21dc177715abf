/** Signs in at an IMAP server. Connects to the address that was checked, under the name of the server. */

import { isIP } from 'node:net'
import type { ImapFlow } from 'imapflow'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import {
  AccountProblem,
  type AccountProblemCode,
  problemOfCode,
  shortAnswer,
} from '#transfer/connected-accounts/account-problem'
import type { Connection } from '#transfer/connected-accounts/account'
import type { ImapSettings } from '#transfer/connected-accounts/settings'

/** The library is loaded by the first account. */
const library = () => import('imapflow')

const CONNECT_TIMEOUT_MS = 15_000
const GREETING_TIMEOUT_MS = 15_000
/** A server that says nothing for this long, while an answer is due, is gone. IDLE is renewed earlier. */
const SOCKET_TIMEOUT_MS = 5 * 60_000
const IDLE_RENEWAL_MS = 4 * 60_000
/** Answers are far smaller: headers of a message are read up to 256 KiB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Throws `AccountProblem`. The caller ends the connection with `closeImap`. */
export async function openImap(
  servers: AccountServers,
  { settings, secret }: Connection<ImapSettings>,
): Promise<ImapFlow> {
  const { host, port, security, user } = settings
  if (security === 'none' && !servers.allowsPlainText) throw new AccountProblem('no_encryption')
  if (secret === undefined) throw new AccountProblem('sign_in_refused')
  const { address } = await servers.locate(host, port)
  const { ImapFlow: Client } = await library()
  const client = new Client({
    host: address,
    // An address has no name to ask for. The certificate has to be one for the address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    port,
    secure: security === 'tls',
    ...(security === 'tls' ? {} : { doSTARTTLS: security === 'starttls' }),
    auth: 'password' in secret ? { user, pass: secret.password } : { user, accessToken: secret.access_token },
    clientInfo: { name: 'Relata' },
    tls: servers.certificates === undefined ? {} : { ca: servers.certificates },
    logger: false,
    qresync: true,
    disableAutoIdle: true,
    maxIdleTime: IDLE_RENEWAL_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    maxLineLength: MAX_ANSWER_BYTES,
    maxLiteralSize: MAX_ANSWER_BYTES,
    maxResponseSize: 2 * MAX_ANSWER_BYTES,
  })
  // An error without a command that waits for an answer. The connection is closed then, and the next command fails.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    client.close()
    throw imapProblemOf(error)
  }
}

const LOGOUT_TIMEOUT_MS = 2_000

export async function closeImap(client: ImapFlow): Promise<void> {
  const timer = setTimeout(() => client.close(), LOGOUT_TIMEOUT_MS)
  await client.logout().catch(() => {})
  clearTimeout(timer)
  client.close()
}

/** What the library and the runtime add to errors. */
interface ErrorDetails {
  readonly code?: string
  readonly authenticationFailed?: boolean
  readonly serverResponseCode?: string
  readonly responseText?: string
  readonly message?: string
}

const BY_CODE: Readonly<Record<string, AccountProblemCode>> = {
  CONNECT_TIMEOUT: 'timed_out',
  GREETING_TIMEOUT: 'timed_out',
  UPGRADE_TIMEOUT: 'timed_out',
  ETIMEOUT: 'timed_out',
  ETHROTTLE: 'server_busy',
  NoConnection: 'connection_lost',
  EConnectionClosed: 'connection_lost',
  StateLogout: 'connection_lost',
  ClosedAfterConnectText: 'connection_lost',
  ClosedAfterConnectTLS: 'connection_lost',
}

/** Answers after which a later attempt may succeed with the same password. */
const BUSY = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN', 'THROTTLED', 'OVERQUOTA'])
/** The library's error has no code. */
const NO_STARTTLS = /not support STARTTLS/

export function imapProblemOf(error: unknown): AccountProblem {
  if (error instanceof AccountProblem) return error
  const details: ErrorDetails = error instanceof Error ? (error as ErrorDetails) : {}
  const { code = '', responseText = null, serverResponseCode = '' } = details
  const answer = responseText === null ? null : shortAnswer(responseText)
  return new AccountProblem(codeOf(details, code, serverResponseCode), answer, { cause: error })
}

function codeOf(details: ErrorDetails, code: string, serverResponseCode: string): AccountProblemCode {
  if (BUSY.has(serverResponseCode)) return 'server_busy'
  if (details.authenticationFailed === true) return 'sign_in_refused'
  if (NO_STARTTLS.test(details.message ?? '')) return 'no_encryption'
  return problemOfCode(code) ?? BY_CODE[code] ?? 'unexpected_answer'
}
