/** Signs in at the SMTP server of an account, and hands it a message. Connects to the address that was checked, under the name of the server. */

import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import SmtpConnection, { type SMTPConnectionCustomAuthContext as SmtpAuthContext } from 'nodemailer/lib/smtp-connection'
import type { Connection } from '#transfer/connected-accounts/account'
import {
  AccountProblem,
  type AccountProblemCode,
  problemOfCode,
  sendingProblem,
  shortAnswer,
} from '#transfer/connected-accounts/account-problem'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { AccountSecret, ImapSettings } from '#transfer/connected-accounts/settings'

const CONNECT_TIMEOUT_MS = 15_000
/** A server may check a message for a while before it answers. */
const SOCKET_TIMEOUT_MS = 60_000

/** Tries to sign in, if the account sends. Throws `AccountProblem`. */
export async function checkSmtp(servers: AccountServers, connection: Connection<ImapSettings>): Promise<void> {
  if (connection.settings.smtp === undefined) return
  try {
    const client = await openSmtp(servers, connection)
    client.quit()
  } catch (error) {
    throw error instanceof AccountProblem ? sendingProblem(error) : error
  }
}

/** Throws `AccountProblem`. The caller closes the connection. */
export async function openSmtp(
  servers: AccountServers,
  { settings: { smtp }, secret }: Connection<ImapSettings>,
): Promise<SmtpConnection> {
  if (smtp === undefined) throw new Error('The account has no SMTP server.')
  const { host, port, security, user } = smtp
  if (security === 'none' && !servers.allowsPlainText) throw new AccountProblem('no_encryption')
  if (secret === undefined) throw new AccountProblem('sign_in_refused')
  const { address } = await servers.locate(host, port)
  const client = new SmtpConnection({
    host: address,
    // An address has no name to ask for. The certificate has to be one for the address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    port,
    secure: security === 'tls',
    ...(security === 'starttls' ? { requireTLS: true } : {}),
    ...(security === 'none' ? { ignoreTLS: true } : {}),
    // The server does not learn the name of this machine.
    name: '[127.0.0.1]',
    tls: servers.certificates === undefined ? {} : { ca: servers.certificates },
    customAuth: { [TOKEN]: signInWithToken },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  })
  const failure = Promise.withResolvers<never>()
  // An error without a command that waits for an answer. The connection is closed then, and the next command fails.
  failure.promise.catch(() => {})
  client.on('error', failure.reject)
  try {
    await Promise.race([failure.promise, inPromise((done) => client.connect(done))])
    await Promise.race([failure.promise, inPromise((done) => client.login(authOf(user, secret), done))])
    return client
  } catch (error) {
    client.close()
    throw problemOf(error)
  }
}

/** A name of our own: under the one of XOAUTH2, the library would prefer PLAIN. It has no OAUTHBEARER (RFC 7628), which the handler also sends. */
const TOKEN = 'TOKEN'

const authOf = (user: string, secret: AccountSecret) =>
  'password' in secret ? { user, pass: secret.password } : { method: TOKEN, user, pass: secret.access_token }

async function signInWithToken({ auth, authMethods, sendCommand, resolve, reject }: SmtpAuthContext): Promise<void> {
  const { user, pass: token } = auth.credentials
  // The library names only the mechanisms that it knows, so OAUTHBEARER is tried where XOAUTH2 is missing.
  const isBearer = !authMethods.includes('XOAUTH2')
  const text = isBearer ? `n,a=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},\x01auth=Bearer ${token}\x01\x01` : `user=${user}\x01auth=Bearer ${token}\x01\x01` // prettier-ignore
  const answer = await sendCommand(
    `AUTH ${isBearer ? 'OAUTHBEARER' : 'XOAUTH2'} ${Buffer.from(text).toString('base64')}`,
  )
  // 334 has the reason of a refusal, which the client confirms.
  const last = answer.status === 334 ? await sendCommand(isBearer ? 'AQ==' : '') : answer
  if (last.status === 235) resolve()
  else reject(Object.assign(new Error(last.text), { response: last.response, responseCode: last.status }))
}

const inPromise = <T>(start: (done: (error?: Error | null, result?: T) => void) => void): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(error) : resolve(result)))
  })

/** So many bytes of a message are handed to the connection at once. */
const PIECE = 64 * 1024

export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
}

export interface RefusedRecipient {
  readonly email_address: string
  /** What the server said. */
  readonly answer: string
}

/** The server accepted the message for all recipients but these. */
export interface AcceptedEmail {
  readonly refused: readonly RefusedRecipient[]
}

/** The server refused the message. A temporary refusal may become an acceptance. */
export class MessageRefused extends Error {
  constructor(
    readonly answer: string,
    readonly isTemporary: boolean,
  ) {
    super('The server refused the email.')
  }
}

/** The connection ended when the server had the whole message, and before it answered. */
export class OutcomeUnknown extends Error {}

/**
 * Hands a message to the server. `begin` runs when the server has accepted the recipients, before the first byte of the message; if it
 * throws, the server gets none. Throws `MessageRefused`, `OutcomeUnknown`, and `AccountProblem` when the server surely has no message.
 */
export async function sendMessage(
  client: SmtpConnection,
  { from, to }: Envelope,
  message: Uint8Array,
  begin: () => Promise<void>,
): Promise<AcceptedEmail> {
  let isWhole = false
  let failure: unknown
  async function* contents() {
    try {
      await begin()
    } catch (error) {
      failure = error
      throw error
    }
    // In pieces, because the library asks for the next one when the connection has taken the one before.
    for (let at = 0; at < message.length; at += PIECE) yield message.subarray(at, at + PIECE)
    // The final dot follows, without which no server accepts a message.
    isWhole = true
  }
  try {
    const info = await inPromise<SendInfo>((done) =>
      client.send({ from, to: [...to], size: message.length }, Readable.from(contents(), { objectMode: false }), done),
    )
    const refused = (info?.rejectedErrors ?? []).map(({ recipient = '', response = '' }) => ({
      email_address: recipient,
      answer: shortAnswer(response),
    }))
    return { refused }
  } catch (error) {
    if (failure !== undefined) throw failure
    const { code, response, responseCode, message: text = '' } = detailsOf(error)
    if (responseCode !== undefined && responseCode >= 400)
      throw new MessageRefused(shortAnswer(response ?? ''), responseCode < 500)
    // The message is larger than the server said that it accepts.
    if (code === 'EMESSAGE' && !isWhole) throw new MessageRefused(text, false)
    if (isWhole) throw new OutcomeUnknown(undefined, { cause: error })
    throw problemOf(error)
  } finally {
    client.close()
  }
}

/** The members of the library's result that are read. */
interface SendInfo {
  readonly rejectedErrors?: readonly { readonly recipient?: string; readonly response?: string }[]
}

/** What the library adds to errors. */
interface ErrorDetails {
  readonly code?: string
  readonly originalCode?: string
  readonly response?: string
  readonly responseCode?: number
  readonly message?: string
}

const detailsOf = (error: unknown): ErrorDetails => (error instanceof Error ? (error as ErrorDetails) : {})

function problemOf(error: unknown): AccountProblem {
  if (error instanceof AccountProblem) return error
  const details = detailsOf(error)
  const answer = details.response === undefined ? null : shortAnswer(details.response)
  return new AccountProblem(codeOf(details), answer, { cause: error })
}

const BY_CODE: Readonly<Record<string, AccountProblemCode>> = {
  ECONNECTION: 'connection_lost',
  ETIMEDOUT: 'timed_out',
  EDNS: 'unknown_host',
  ETLS: 'no_encryption',
  ESTREAM: 'connection_lost',
}

/** A server that is busy answers 421 or 4xx; another answer to the sign-in is a refusal. */
function codeOf({ code = '', originalCode = '', responseCode = 0, message = '' }: ErrorDetails): AccountProblemCode {
  if (responseCode >= 400 && responseCode < 500 && responseCode !== 454) return 'server_busy'
  if (code === 'EAUTH' || responseCode >= 530) return 'sign_in_refused'
  if (code === 'ETLS' && /certificate|self[- ]signed|altname/i.test(message)) return 'bad_certificate'
  return problemOfCode(originalCode) ?? BY_CODE[code] ?? 'unexpected_answer'
}
