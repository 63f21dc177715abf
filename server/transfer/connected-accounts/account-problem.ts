/** Why a connected account cannot be read. */

/** Each problem with the sentence that people read. `code` decides what the service does about it. */
const ACCOUNT_PROBLEMS = {
  unknown_host: 'The server was not found under this name.',
  refused_address: 'The address of the server is not a public one, so the service does not connect to it.',
  no_connection: 'The server does not accept connections at this port.',
  timed_out: 'The server did not answer in time.',
  bad_certificate: 'The certificate of the server is not valid for its name.',
  no_encryption: 'The server does not offer an encrypted connection at this port.',
  sign_in_refused: 'The server refused the user name or the password.',
  sign_in_expired: 'The provider no longer accepts the sign-in.',
  sign_in_failed: 'The provider did not complete the sign-in.',
  provider_unreachable: 'The provider could not be reached.',
  no_provider: 'Signing in at this provider is not set up on this service.',
  server_busy: 'The server has too many connections or is not available at the moment.',
  connection_lost: 'The connection to the server broke off.',
  unexpected_answer: 'The server answered something unexpected.',
  no_calendar: 'There is no calendar at this address.',
  too_large: 'The calendar is larger than the service reads.',
} as const

export type AccountProblemCode = keyof typeof ACCOUNT_PROBLEMS

/** Why an account cannot be read. `answer` has the words of the server, if it said something. */
export class AccountProblem extends Error {
  constructor(
    readonly code: AccountProblemCode,
    readonly answer: string | null = null,
    options?: ErrorOptions & { readonly message?: string },
  ) {
    super(options?.message ?? ACCOUNT_PROBLEMS[code], options)
  }
}

/** The problem of the server that sends the email of an account, which is another one than the server that is read. */
export const sendingProblem = ({ code, answer, message }: AccountProblem): AccountProblem =>
  new AccountProblem(code, answer, { message: `No email can be sent. ${message}` })

const BY_CODE: Readonly<Record<string, AccountProblemCode>> = {
  ENOTFOUND: 'unknown_host',
  ECONNREFUSED: 'no_connection',
  EHOSTUNREACH: 'no_connection',
  ENETUNREACH: 'no_connection',
  EADDRNOTAVAIL: 'no_connection',
  ETIMEDOUT: 'timed_out',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
}

const CERTIFICATE = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:VERIFY|GET)|ERR_TLS/
/** The runtime's code when the first bytes of the server are no TLS. */
const NOT_ENCRYPTED = /WRONG_VERSION_NUMBER/

/** The problem that an error code of the runtime stands for. */
export function problemOfCode(code: string): AccountProblemCode | undefined {
  if (NOT_ENCRYPTED.test(code)) return 'no_encryption'
  if (CERTIFICATE.test(code)) return 'bad_certificate'
  return BY_CODE[code]
}

/** Answers of servers are cut after so many characters. */
const MAX_ANSWER = 500

export const shortAnswer = (answer: string): string => answer.slice(0, MAX_ANSWER)
