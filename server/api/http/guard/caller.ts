import { bearer } from '@elysiajs/bearer'
import type { TokenAuthenticator } from '#access/tokens/authenticate'
import { presentToken, type Token, type TokenResource } from '#access/tokens/tokens'
import { missingAuthorization, unknownToken } from '#base/errors/access'
import { workspaceIsMoving } from '#base/errors/http'
import type { AppContext } from '#context'
import type { Scope, TokenLevel } from '#vocabulary/scopes'

/** The authenticated sender of a request. */
export interface Caller {
  /** Identifies the caller to the rate limiter and to idempotent requests: a token, an app in a workspace, or a session. */
  readonly key: string
  /** Whether the rate limiter counts the caller's requests. */
  readonly limited: boolean
  readonly workspaceId: string
  readonly actor: number
  /** The id of the member who authorised the token. */
  readonly authorizedBy: string
  readonly scopes: ReadonlySet<Scope>
  /** The id of the app or API key that sends the request. Undefined at the console. */
  readonly clientId?: string
  /** The level of the token. Undefined at the console. */
  readonly level?: TokenLevel
  /** Whether the workspace moves to another service, and can only be read. */
  readonly move?: object | undefined
}

/** Throws 503 while the workspace moves to another service. For a write. */
export function requireWritable({ move }: Pick<Caller, 'move'>): void {
  if (move !== undefined) throw workspaceIsMoving()
}

/** Returns the caller of a request, or throws 401. `bearer` is the token that `bearerTokens` read. */
export type Authenticate = (request: Request, bearer: string | undefined) => Caller | Promise<Caller>

/** One way in which a request names its caller. */
export interface AuthenticationWay {
  /** Returns undefined for a request that does not use this way. Throws for one that uses it and is refused. */
  callerOf(request: Request, bearer: string | undefined): Caller | Promise<Caller> | undefined
}

/** The first way that a request uses decides about it. A request that uses none is 401. */
export const authenticateBy =
  (ways: readonly AuthenticationWay[]): Authenticate =>
  (request, bearer) => {
    for (const way of ways) {
      const caller = way.callerOf(request, bearer)
      if (caller !== undefined) return caller
    }
    throw missingAuthorization()
  }

/** The token of `Authorization: Bearer`, or the user name of `Authorization: Basic`. Throws 401 unless the token is valid for the resource, and its member active. */
export function tokenWay(
  { models }: Pick<AppContext, 'models'>,
  tokens: TokenAuthenticator,
  resource: TokenResource = null,
): AuthenticationWay {
  const callerOfMember = async (token: Token): Promise<Caller> => {
    const present = presentToken(token, await models.get(token.workspaceId))
    if (present === undefined) throw unknownToken()
    return present
  }
  const callerOf = (token: Token) => (token.level === 'user' ? callerOfMember(token) : token)
  return {
    callerOf(request, bearer) {
      const header = request.headers.get('authorization')
      if (header === null && bearer === undefined) return undefined
      const token = tokens.authenticate(header, bearer, resource)
      return token instanceof Promise ? token.then(callerOf) : callerOf(token)
    },
  }
}

/** No URL or form can contain a lone surrogate, so no parameter has this name. */
const NO_PARAMETER = '\ud800'

/** The plugin that reads the token of `Authorization: Bearer` for the routes after it. It reads no query and no body. */
export const bearerTokens = () => bearer({ extract: { header: 'Bearer', query: NO_PARAMETER, body: NO_PARAMETER } })
