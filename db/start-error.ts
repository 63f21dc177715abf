/** A fault of the environment that stops the start. The message tells the operator what to correct. */
export class StartError extends Error {}

/** Turns an error of connecting to the database into a StartProblem. Returns other errors unchanged. */
export function explainConnectionError(error: unknown, databaseUrl: string): unknown {
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
      return new StartError(`PostgreSQL cannot be reached at ${server}; see that it runs and DATABASE_URL is right.`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`The host ${hostname} of DATABASE_URL is not known; see that its name is right.`)
    case '28P01':
    case '28000':
      return new StartError(`PostgreSQL at ${server} refuses the user or password of DATABASE_URL: ${error.message}.`)
    case '3D000':
      return new StartError(`PostgreSQL at ${server} has no database "${pathname.slice(1)}"; make it with createdb.`)
    case '42501':
      return new StartError(`The role "${username}" of DATABASE_URL lacks a right: ${error.message}.`)
    case '08P01':
      return new StartError(
        `A connection pooler at ${server} does not support Relata: ${error.message}. Let DATABASE_URL name PostgreSQL itself.`,
      )
    case '53300':
    case '57P03':
      return new StartError(`PostgreSQL at ${server} takes no connections now: ${error.message}.`)
    default:
      return error
  }
}
