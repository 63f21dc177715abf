import type { Scope } from '../../scopes'

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

/** Returns the caller of a request. Throws 401. */
export type Authenticate = (request: Request) => Caller | Promise<Caller>
