/**
 * The sessions of an account at the console. Each request looks up its session, so that the end of a session takes effect
 * immediately in all processes. See docs/decisions/sign-in.md.
 */

import type { Language } from '#vocabulary/languages'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { type Clock, type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { derivedSecret, hashColumn, hashSecret, limitUnknownSecrets, newSecret } from '#access/secrets'

interface Session extends SignIn {
  readonly id: string
  readonly accountId: string
  readonly emailAddress: string
  /** A request that changes data must send this besides the cookie. */
  readonly csrfToken: string
}

/** The second step of a sign-in. `provider`: the provider confirmed that it asked for one. */
export type SecondFactor = 'passkey' | 'totp' | 'recovery-code' | 'provider'

/** How an account signed in. See docs/reference/sign-in.md (Sessions). */
export interface SignIn {
  readonly method: 'password' | 'passkey' | 'provider'
  readonly secondFactor: SecondFactor | null
  /** The only workspace that the session opens, because the provider of this workspace signed the account in. */
  readonly workspaceId: string | null
  /** The last time at which the account proved itself. Null for a session that a provider of a workspace began. */
  readonly provenAt: Micros | null
}

/** A sign-in with a password and without a second factor. */
export const BY_PASSWORD = { method: 'password', secondFactor: null, workspaceId: null } as const

/** A sign-in with a passkey in place of the password, which is a second factor as well. */
export const BY_PASSKEY = { method: 'passkey', secondFactor: 'passkey', workspaceId: null } as const

export interface NewSession extends SignIn, Device {
  readonly accountId: string
  /** Where the browser signs out at the provider that began the session. */
  readonly providerSignOutUrl?: string | null
}

/** The browser and the network address that a session started with. */
export interface Device {
  readonly userAgent: string
  readonly address: string | null
  /** The language of the browser. */
  readonly language?: Language | undefined
}

const SECOND = 1_000_000
/** A session expires after this time without a request. */
export const SESSION_SECONDS = 30 * 24 * 3600
/** The precision of the time of last use. */
const USE_RECORDED_EVERY = 300 * SECOND
const MAX_USER_AGENT = 300

/** Creates a session. Only the browser has its token. */
export async function createSession(
  sql: Sql | Transaction,
  { accountId, userAgent, address, method, secondFactor, workspaceId, provenAt, providerSignOutUrl }: NewSession,
  now: Micros,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = newSecret()
  const at = timestampFromMicros(now)
  await controlQueriesIn(sql)
    .insertInto('relata.sessions')
    .values({
      id,
      account_id: accountId,
      token_hash: hashColumn(token),
      user_agent: userAgent.slice(0, MAX_USER_AGENT),
      address,
      method,
      second_factor: secondFactor,
      workspace_id: workspaceId,
      provider_sign_out_url: providerSignOutUrl ?? null,
      proven_at: provenAt === null ? null : timestampFromMicros(provenAt),
      created_at: at,
      last_used_at: at,
      expires_at: expiryFrom(now),
    })
    .execute()
  return { id, token }
}

/** Returns a function that returns the session with a token, unless it has ended, and extends it. Runs at every request of the console. */
export function createSessionFinder(db: Database, clock: Clock): (token: string) => Promise<Session | undefined> {
  const findRow = limitUnknownSecrets((hash) => findSessionRow(db, hash, clock()))
  return async (token) => {
    const row = await findRow(hashSecret(token))
    return row === undefined ? undefined : extendedSession(db, token, row, clock())
  }
}

async function findSessionRow(db: Database, hash: string, now: Micros): Promise<SessionRow | undefined> {
  const [row] = await db.sql<[SessionRow?]>`
    select s.id, s.account_id, s.last_used_at, a.email_address, s.method, s.second_factor, s.workspace_id, s.proven_at
    from relata.sessions s join relata.accounts a on a.id = s.account_id
    where s.token_hash = decode(${hash}, 'hex') and s.expires_at > ${timestampFromMicros(now)}`
  return row
}

async function extendedSession(db: Database, token: string, row: SessionRow, now: Micros): Promise<Session> {
  if (now - microsFromPostgres(row.last_used_at) >= USE_RECORDED_EVERY) await recordSessionUse(db, row.id, now)
  return {
    id: row.id,
    accountId: row.account_id,
    emailAddress: row.email_address,
    method: row.method,
    secondFactor: row.second_factor,
    workspaceId: row.workspace_id,
    provenAt: row.proven_at === null ? null : microsFromPostgres(row.proven_at),
    csrfToken: derivedSecret(token, 'csrf'),
  }
}

async function recordSessionUse({ control }: Database, id: string, now: Micros): Promise<void> {
  await control
    .updateTable('relata.sessions')
    .set({ last_used_at: timestampFromMicros(now), expires_at: expiryFrom(now) })
    .where('id', '=', id)
    .execute()
}

const expiryFrom = (now: Micros): string => timestampFromMicros(now + SESSION_SECONDS * SECOND)

interface AccountSession {
  id: string
  user_agent: string
  address: string | null
  /** As PostgreSQL prints it. */
  created_at: string
  last_used_at: string
  method: SignIn['method']
  second_factor: SecondFactor | null
}

/** The session of a request, which sees and ends other sessions of its account. */
type OwnSession = Pick<Session, 'accountId' | 'workspaceId'>

/** Returns the sessions that have not ended. The one used last comes first. */
export const listSessions = ({ sql }: Database, own: OwnSession, now: Micros): Promise<AccountSession[]> =>
  controlQueriesIn(sql)
    .selectFrom('relata.sessions')
    .select(['id', 'user_agent', 'address', 'created_at', 'last_used_at', 'method', 'second_factor'])
    .where('account_id', '=', own.accountId)
    .$if(own.workspaceId !== null, (query) => query.where('workspace_id', '=', own.workspaceId))
    .where('expires_at', '>', timestampFromMicros(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .$castTo<AccountSession>()
    .execute()

interface SessionRow {
  id: string
  account_id: string
  last_used_at: string
  email_address: string
  method: SignIn['method']
  second_factor: SecondFactor | null
  workspace_id: string | null
  proven_at: string | null
}

/** Cookies with a token. Scripts cannot read them, and browsers send them only to this host and from its own pages. */
export interface SessionCookie {
  /** Returns the token in a request. */
  read(request: Request): string | undefined
  /** Returns the header that stores the cookie in a browser. */
  set(token: string): string
  /** The header that deletes the cookie. */
  readonly clear: string
}

/** The cookie of a session. */
export const sessionCookie = (brand: string, appUrl: string): SessionCookie =>
  tokenCookie(`${brand}_session`, appUrl, SESSION_SECONDS)

/** The cookie that binds a sign-in at a provider to the browser that began it. */
export const signInCookie = (brand: string, appUrl: string): SessionCookie =>
  tokenCookie(`${brand}_sign_in`, appUrl, SIGN_IN_SECONDS)

const SIGN_IN_SECONDS = 3600

/** With TLS, the name has a prefix by which browsers bind the cookie to this host. */
function tokenCookie(plainName: string, appUrl: string, seconds: number): SessionCookie {
  const isSecure = appUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}${plainName}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: (request) => valueOf(request.headers.get('cookie'), name),
    set: (token) => `${name}=${token}; ${attributes}; Max-Age=${seconds}`,
    clear: `${name}=; ${attributes}; Max-Age=0`,
  }
}

function valueOf(header: string | null, name: string): string | undefined {
  const start = `${name}=`
  const pair = header?.split(';').find((part) => part.trimStart().startsWith(start))
  return pair?.trimStart().slice(start.length).trim() || undefined
}

// What an account has proved in its sessions: a second factor, or its password again.

/** Records the second factor that the account has just used in this session. */
export async function setSecondFactor(sql: Sql | Transaction, id: string, secondFactor: SecondFactor): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ second_factor: secondFactor })
    .where('id', '=', id)
    .execute()
}

/** For an account that has no second factor any more: its sessions count as signed in without one. */
export async function clearSecondFactors(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ second_factor: null })
    .where('account_id', '=', accountId)
    .where('second_factor', '<>', 'provider')
    .execute()
}

/** Records that the account has proved itself in this session. */
export async function setProven(sql: Sql | Transaction, id: string, now: Micros): Promise<void> {
  await controlQueriesIn(sql)
    .updateTable('relata.sessions')
    .set({ proven_at: timestampFromMicros(now) })
    .where('id', '=', id)
    .execute()
}

/**
 * Ends a session of an account. A session of one workspace ends only sessions of the same workspace. Returns false when there
 * is no such session.
 */
export async function endSession(sql: Sql | Transaction, own: OwnSession, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', own.accountId)
    .$if(own.workspaceId !== null, (query) => query.where('workspace_id', '=', own.workspaceId))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Ends the session of a request. Returns where the browser signs out at the provider that began it. */
export async function endCurrentSession(sql: Sql | Transaction, id: string): Promise<string | null> {
  const row = await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('id', '=', id)
    .returning('provider_sign_out_url')
    .executeTakeFirst()
  return row?.provider_sign_out_url ?? null
}

/** Ends all sessions that `endSession` can end, except the session `except`. */
export async function endSessions(sql: Sql | Transaction, own: OwnSession, except?: string): Promise<void> {
  await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', own.accountId)
    .$if(own.workspaceId !== null, (query) => query.where('workspace_id', '=', own.workspaceId))
    .$if(except !== undefined, (query) => query.where('id', '<>', except ?? ''))
    .execute()
}

/** Ends the sessions that the provider of a workspace began. */
export async function endSessionsOfProvider(sql: Sql | Transaction, workspaceId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.sessions').where('workspace_id', '=', workspaceId).execute()
}

/**
 * Ends the sessions of an account that lost its access to a workspace: those that open only this workspace, and all of them
 * when the account has access to no other workspace.
 */
export async function endSessionsWithoutAccess(tx: Transaction, accountId: string, workspaceId: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', accountId)
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb('workspace_id', '=', workspaceId),
        not(
          exists(
            selectFrom('relata.workspace_members')
              .select('id')
              .where('account_id', '=', accountId)
              .where('access_level', '<>', 'suspended'),
          ),
        ),
      ]),
    )
    .execute()
}

export async function deleteExpiredSessions(sql: Sql | Transaction, now: Micros): Promise<void> {
  await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('expires_at', '<=', timestampFromMicros(now))
    .execute()
}
