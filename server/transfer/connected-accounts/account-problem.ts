/** Why a connected account cannot be read. */

/** Each problem with the sentence that people read. `code` decides what the service does about it. */
export const ACCOUNT_PROBLEMS = {
  unknown_host: 'The server was not found under this name.',
  refused_address: 'The address of the server is not a public one, so the service does not connect to it.',
  no_connection: 'The server does not accept connections at this port.',
  timed_out: 'The server did not answer in time.',
  bad_certificate: 'The certificate of the server is not valid for its name.',
  no_encryption: 'The server does not offer an encrypted connection at this port.',
  sign_in_refused: 'The server refused the user name or the password.',
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
    options?: ErrorOptions,
  ) {
    super(ACCOUNT_PROBLEMS[code], options)
  }
}
