import { bearer } from '@elysiajs/bearer'
import type { Scope } from '#vocabulary/scopes'

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
  /** As in `RequestContext`. */
  readonly clientId?: string
}

/** Returns the caller of a request, or throws 401. `bearer` is the token that `bearerTokens` read. */
export type Authenticate = (request: Request, bearer: string | undefined) => Caller | Promise<Caller>

/** No URL or form can contain a lone surrogate, so no parameter has this name. */
const NO_PARAMETER = '\ud800'

/** The plugin that reads the token of `Authorization: Bearer` for the routes after it. It reads no query and no body. */
export const bearerTokens = () => bearer({ extract: { header: 'Bearer', query: NO_PARAMETER, body: NO_PARAMETER } })
