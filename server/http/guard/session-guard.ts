/**
 * The way into every route of the console: a session's cookie in place of a token, and a proof that a page of ours asks.
 * Refusals come in the order 401, 403 for a foreign page, 404 and 403 for the workspace, 400. Decisions 0040 and 0041.
 */

import type { Static, TObject, TSchema } from 'typebox'
import {
  adminsOnly,
  untrustedOrigin,
  sessionRequired,
  suspendedMember,
  workspaceNotFound,
  wrongCsrfToken,
} from '../../errors/errors'
import { newRequestId } from '../response/answer'
import { clientAddress, type Listener } from '../request/client-address'
import { bodyLimitOf, openBodyLimitOf } from '../request/body-limits'
import { createConsoleAnswers } from '../response/console-answer'
import { compileReader, requireValidParams } from './route-guard'
import { errorFromException } from '../response/error-from-exception'
import { changesSomething, isSameOrigin } from '../request/same-origin'

/** A person who signed in. */
export interface ConsoleSession {
  readonly id: string
  readonly accountId: string
  readonly emailAddress: string
  readonly csrfToken: string
}

/** That person in one workspace. */
export interface ConsoleMember {
  readonly workspaceId: string
  readonly memberId: string
  readonly actor: number
  readonly accessLevel: 'admin' | 'member' | 'suspended'
}

/** Identifies the session and the member of a request. */
export interface SessionAuthenticator {
  sessionOf(request: Request): Promise<ConsoleSession | undefined>
  memberOf(session: ConsoleSession, workspaceId: string): Promise<ConsoleMember | undefined>
  isSameToken(given: string, expected: string): boolean
}

export interface ConsoleSettings {
  readonly brand: string
  readonly appUrl: string
  readonly bodyLimit: number
  /** How many proxies of ours stand in front. */
  readonly trustedProxies: number
}

export type ConsoleParams = Readonly<
  Record<
    | 'workspace_id'
    | 'workspace_member_id'
    | 'invitation_id'
    | 'key_id'
    | 'import_id'
    | 'session_id'
    | 'token'
    | 'app_id'
    | 'secret_id'
    | 'grant_id',
    string
  >
>

export interface ConsoleSpec<Q extends TObject, B extends TSchema> {
  readonly query?: Q
  readonly body?: B
  /** Whether a request without a body counts as one with `{}`. */
  readonly bodyOptional?: boolean
}

export interface Visit<Q extends TObject, B extends TSchema> {
  readonly params: ConsoleParams
  readonly query: Static<Q>
  readonly body: Static<B>
  readonly request: Request
  /** Where it came from, if that is known. */
  readonly address: string | null
}

type Output = object | Promise<object>

interface Context {
  readonly request: Request
  readonly params: unknown
  readonly server: Listener | null
}

export type ConsoleRoute = readonly [
  handler: (context: Context) => Promise<Response>,
  hook: { parse: 'none'; detail: { hide: true } },
]

type Entrance<Who> = <Q extends TObject = TObject<{}>, B extends TSchema = TSchema>(
  spec: ConsoleSpec<Q, B>,
  run: (visit: Visit<Q, B> & Who) => Output,
) => ConsoleRoute

/** Each wraps a handler so that it runs only for those it names. */
export interface SessionGuard {
  /** `session` is whose it is, if anybody signed in. */
  anyone: Entrance<{ session: ConsoleSession | undefined }>
  signedIn: Entrance<{ session: ConsoleSession }>
  /** Who may enter the workspace of the path. */
  member: Entrance<{ session: ConsoleSession; member: ConsoleMember }>
  admin: Entrance<{ session: ConsoleSession; member: ConsoleMember }>
}

export function createSessionGuard(settings: ConsoleSettings, authenticator: SessionAuthenticator): SessionGuard {
  const answers = createConsoleAnswers(settings.brand)

  const entrance =
    <Who>(bodyLimit: number, identify: (request: Request, params: ConsoleParams) => Promise<Who>): Entrance<Who> =>
    (spec, run) => {
      const read = compileReader(spec, bodyLimit)
      // Named members only: Elysia reads from this source text what it must prepare for each request.
      const handler: ConsoleRoute[0] = async ({ request, params, server }) => {
        const id = newRequestId()
        try {
          const named = requireValidParams(request, params as ConsoleParams) // only names that stand in the path are read from it
          const who = await identify(request, named)
          const address = clientAddress(request, server, settings.trustedProxies)
          return answers.answer(id, await run({ ...who, params: named, request, address, ...(await read(request)) }))
        } catch (error) {
          return answers.error(id, errorFromException(error, request, id))
        }
      }
      return [handler, { parse: 'none', detail: { hide: true } }]
    }

  const anyone = async (request: Request) => {
    refuseForeignPage(request, settings.appUrl)
    return { session: await authenticator.sessionOf(request) }
  }
  const signedIn = async (request: Request) => ({ session: await enter(request, authenticator, settings.appUrl) })
  const member = async (request: Request, { workspace_id }: ConsoleParams) => {
    const session = await enter(request, authenticator, settings.appUrl)
    return { session, member: await enterWorkspace(authenticator, session, workspace_id) }
  }
  const admin = async (request: Request, params: ConsoleParams) => {
    const who = await member(request, params)
    if (who.member.accessLevel !== 'admin') throw adminsOnly()
    return who
  }
  const openLimit = openBodyLimitOf(settings.bodyLimit)
  const limit = bodyLimitOf({}, settings.bodyLimit)
  return {
    anyone: entrance(openLimit, anyone),
    signedIn: entrance(limit, signedIn),
    member: entrance(limit, member),
    admin: entrance(limit, admin),
  }
}

/** The session of a request that may act for it. Throws 401 and 403. */
export async function enter(
  request: Request,
  authenticator: SessionAuthenticator,
  appUrl: string,
): Promise<ConsoleSession> {
  const session = await authenticator.sessionOf(request)
  if (session === undefined) throw sessionRequired()
  refuseForeignPage(request, appUrl)
  if (
    changesSomething(request) &&
    !authenticator.isSameToken(request.headers.get('x-csrf-token') ?? '', session.csrfToken)
  ) {
    throw wrongCsrfToken()
  }
  return session
}

/** The person as a member of a workspace. Throws 404 where they are none, 403 where they are suspended. */
export async function enterWorkspace(
  authenticator: SessionAuthenticator,
  session: ConsoleSession,
  workspaceId: string,
): Promise<ConsoleMember> {
  const member = await authenticator.memberOf(session, workspaceId)
  if (member === undefined) throw workspaceNotFound(workspaceId)
  if (member.accessLevel === 'suspended') throw suspendedMember()
  return member
}

function refuseForeignPage(request: Request, appUrl: string): void {
  if (changesSomething(request) && !isSameOrigin(request, appUrl)) throw untrustedOrigin()
}
