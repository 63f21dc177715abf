/**
 * Stands before the handler of every route of the console: checks the session cookie, the origin and the CSRF token.
 * Refusals come in the order 401, 403 for another origin, 404 and 403 for the workspace, 400.
 * See docs/decisions/sign-in.md and docs/decisions/console-gateway.md.
 */

import type { Static, TObject, TSchema } from 'typebox'
import { hasPermission, type Permission, type Role } from '#vocabulary/roles'
import {
  adminsOnly,
  boundSession,
  untrustedOrigin,
  sessionRequired,
  suspendedMember,
  noMembership,
  wrongCsrfToken,
} from '#base/errors/access'
import { noteCaller } from '#base/monitoring/trace-context'
import { newRequestId } from '#api/http/response/answer'
import { changesSomething, clientAddress, isSameOrigin, type Listener } from '#api/http/request/request-url'
import { bodyLimitOf, openBodyLimitOf } from '#api/http/request/body-limits'
import { createConsoleAnswers } from '#api/http/response/console-answer'
import { workspaceMoved } from '#base/errors/http'
import type { WorkspaceMove } from '#engine/workspaces/workspace-move'
import { requireWritable } from './caller'
import { compileReader, requireValidParams } from './read-input'
import type { PathParams } from './route'
import { errorFromException } from '#api/http/response/error-from-exception'

/** The session of a signed-in account. */
export interface ConsoleSession {
  readonly id: string
  readonly accountId: string
  readonly emailAddress: string
  readonly csrfToken: string
  readonly method: 'password' | 'passkey' | 'provider'
  readonly secondFactor: 'passkey' | 'totp' | 'recovery-code' | 'provider' | null
  /** The only workspace that the session opens; null for a session that opens all workspaces of the account. */
  readonly workspaceId: string | null
  /** The last time at which the account proved itself, in microseconds. */
  readonly provenAt: number | null
}

/** The account of a session as a member of a workspace. */
export interface ConsoleMember extends Role {
  readonly workspaceId: string
  readonly memberId: string
  readonly actor: number
  /** The newest version of the data model of the workspace. */
  readonly modelVersion: number
  /** Undefined unless the workspace moves to another service, or has moved there. */
  readonly move?: WorkspaceMove | undefined
}

/** Finds sessions and members. */
export interface SessionAuthenticator {
  sessionOf(request: Request): Promise<ConsoleSession | undefined>
  /** Throws 403 when the workspace requires a step of sign-in that the session lacks. */
  memberOf(session: ConsoleSession, workspaceId: string): Promise<ConsoleMember | undefined>
  isSameToken(given: string, expected: string): boolean
}

export interface ConsoleSettings {
  readonly brand: string
  readonly appUrl: string
  readonly bodyLimit: number
  /** As in `ServiceSettings`. */
  readonly trustedProxies: number
}

export interface ConsoleSpec<Q extends TObject, B extends TSchema> {
  /** The JSON of a successful answer, from which the console has its types. Null for a file, a stream or a redirect. */
  readonly response: TSchema | null
  readonly query?: Q
  readonly body?: B
  /** Whether a request without a body is treated as one with the body `{}`. */
  readonly bodyOptional?: boolean
}

interface ConsoleInput<Path extends string, Q extends TObject, B extends TSchema> {
  readonly params: PathParams<Path>
  readonly query: Static<Q>
  readonly body: Static<B>
  readonly request: Request
  /** The address of the client; null when it is unknown. */
  readonly address: string | null
}

type Output = object | Promise<object>

interface Context {
  readonly request: Request
  readonly params: unknown
  readonly server: Listener | null
}

/** The arguments of the function of Elysia that adds a route. */
type ConsoleRoute<Path extends string> = readonly [
  path: Path,
  handler: (context: Context) => Promise<Response>,
  hook: { parse: 'none'; detail: { hide: true; 'x-response': TSchema | null } },
]

type GuardRoute<Identity, Paths extends string = string> = <
  Path extends Paths,
  Q extends TObject = TObject<{}>,
  B extends TSchema = TSchema,
>(
  path: Path,
  spec: ConsoleSpec<Q, B>,
  run: (input: ConsoleInput<Path, Q, B> & Identity) => Output,
) => ConsoleRoute<Path>

type PathOfWorkspace = `${string}/:workspace_id${string}`
type WorkspaceParams = PathParams<'/:workspace_id'>
type GuardMemberRoute = GuardRoute<{ session: ConsoleSession; member: ConsoleMember }, PathOfWorkspace>

/** Each function wraps a handler, so that it runs only for the callers of its comment. */
export interface SessionGuard {
  /** For all requests, with and without a session. */
  anyone: GuardRoute<{ session: ConsoleSession | undefined }>
  signedIn: GuardRoute<{ session: ConsoleSession }>
  /** For sessions that may change the account itself: not for those of the provider of a workspace. */
  account: GuardRoute<{ session: ConsoleSession }>
  /** For members of the workspace of the path who are not suspended. */
  member: GuardMemberRoute
  admin: GuardMemberRoute
  /** For admins, and for members if the workspace gives them the permission. */
  permitted(permission: Permission): GuardMemberRoute
}

export function createSessionGuard(settings: ConsoleSettings, authenticator: SessionAuthenticator): SessionGuard {
  const { appUrl } = settings
  const openRoute = createConsoleRoute(settings, openBodyLimitOf(settings.bodyLimit))
  const route = createConsoleRoute(settings, bodyLimitOf({}, settings.bodyLimit))

  const anyone = async (request: Request) => {
    refuseOtherOrigin(request, appUrl)
    return { session: await authenticator.sessionOf(request) }
  }
  const signedIn = async (request: Request) => ({ session: await requireSession(request, authenticator, appUrl) })
  const account = async (request: Request) => {
    const identity = await signedIn(request)
    if (identity.session.workspaceId !== null) throw boundSession()
    return identity
  }
  const member = async (request: Request, { workspace_id }: WorkspaceParams) => {
    const session = await requireSession(request, authenticator, appUrl)
    const member = await requireMember(authenticator, session, workspace_id)
    if (changesSomething(request)) requireWritable(member)
    return { session, member }
  }
  const admin = async (request: Request, params: WorkspaceParams) => {
    const identity = await member(request, params)
    if (identity.member.accessLevel !== 'admin') throw adminsOnly()
    return identity
  }
  const permitted = (permission: Permission) => async (request: Request, params: WorkspaceParams) => {
    const identity = await member(request, params)
    if (!hasPermission(identity.member, permission)) throw adminsOnly()
    return identity
  }
  return {
    anyone: openRoute(anyone),
    signedIn: route(signedIn),
    account: route(account),
    member: route(member),
    admin: route(admin),
    permitted: (permission) => route(permitted(permission)),
  }
}

/** Returns a function that wraps the handlers of routes. `identify` returns the session and member, or refuses the request. */
function createConsoleRoute(settings: ConsoleSettings, bodyLimit: number) {
  const answers = createConsoleAnswers(settings.brand)
  return <Identity, Paths extends string>(
      identify: (request: Request, params: WorkspaceParams) => Promise<Identity>,
    ): GuardRoute<Identity, Paths> =>
    (path, spec, run) => {
      const readInput = compileReader(spec, bodyLimit)
      // Elysia reads the parameter list of this function to decide what it prepares for each request.
      const handler: ConsoleRoute<string>[1] = async ({ request, params: given, server }) => {
        const id = newRequestId()
        try {
          // Elysia matched the path, and only guards for paths of a workspace read its id.
          const params = requireValidParams(request, given as PathParams<typeof path> & WorkspaceParams)
          const identity = await identify(request, params)
          const address = clientAddress(request, server, settings.trustedProxies)
          const input = await readInput(request)
          return answers.answer(id, await run({ ...identity, params, request, address, ...input }))
        } catch (error) {
          return answers.error(id, errorFromException(error, request, id))
        }
      }
      return [path, handler, { parse: 'none', detail: { hide: true, 'x-response': spec.response } }]
    }
}

/** Returns the session of a request. Throws 401 without one, and 403 for another origin or a wrong CSRF token. */
export async function requireSession(
  request: Request,
  authenticator: SessionAuthenticator,
  appUrl: string,
): Promise<ConsoleSession> {
  const session = await authenticator.sessionOf(request)
  if (session === undefined) throw sessionRequired()
  refuseOtherOrigin(request, appUrl)
  if (
    changesSomething(request) &&
    !authenticator.isSameToken(request.headers.get('x-csrf-token') ?? '', session.csrfToken)
  ) {
    throw wrongCsrfToken()
  }
  return session
}

/** Returns the member of the workspace. Throws 404 when the account is none, 403 when it is suspended, and 410 when the workspace has moved. */
export async function requireMember(
  authenticator: SessionAuthenticator,
  session: ConsoleSession,
  workspaceId: string,
): Promise<ConsoleMember> {
  const member = await authenticator.memberOf(session, workspaceId)
  if (member === undefined) throw noMembership(workspaceId)
  if (member.accessLevel === 'suspended') throw suspendedMember()
  if (member.move?.isDone === true) throw workspaceMoved(member.move.to)
  noteCaller(member)
  return member
}

function refuseOtherOrigin(request: Request, appUrl: string): void {
  if (changesSomething(request) && !isSameOrigin(request, appUrl)) throw untrustedOrigin()
}
