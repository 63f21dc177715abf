/** Something the person who starts the service can put right; the message says what and how. */
export class StartProblem extends Error {}

/** What went wrong on the way to a database, in a sentence; errors of other kinds are handed back as they are. */
export function explainFailure(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const server = `${hostname}:${port || 5432}`
  switch (error.code) {
    case 'ECONNREFUSED':
    case 'CONNECT_TIMEOUT':
    case 'CONNECTION_CLOSED':
    case 'ECONNRESET':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return new StartProblem(`PostgreSQL cannot be reached at ${server}; see that it runs and DATABASE_URL is right.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartProblem(`The host ${hostname} of DATABASE_URL is not known; see that its name is right.`)
    case '28P01':
    case '28000':
      return new StartProblem(`PostgreSQL at ${server} refuses the user or password of DATABASE_URL: ${error.message}.`)
    case '3D000':
      return new StartProblem(`PostgreSQL at ${server} has no database "${pathname.slice(1)}"; make it with createdb.`)
    case '42501':
      return new StartProblem(`The role "${username}" of DATABASE_URL lacks a right: ${error.message}.`)
    case '53300':
    case '57P03':
      return new StartProblem(`PostgreSQL at ${server} takes no connections now: ${error.message}.`)
    default:
      return error
  }
}
