/**
 * The sessions of an account at the console. Each request looks up its session, so that the end of a session takes effect
 * immediately in all processes. Decision 0040.
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { newId } from '../../ids'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'
import { derivedSecret, hashColumn, hashSecret, newSecret } from '../secrets'

export interface Session {
  readonly id: string
  readonly accountId: string
  readonly emailAddress: string
  /** A request that changes data must send this besides the cookie. */
  readonly csrfToken: string
}

/** The browser and the network address that a session started with. */
export interface Device {
  readonly userAgent: string
  readonly address: string | null
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
  accountId: string,
  { userAgent, address }: Device,
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
      created_at: at,
      last_used_at: at,
      expires_at: expiryFrom(now),
    })
    .execute()
  return { id, token }
}

/** Returns the session with this token, unless it has ended, and extends it. Runs at every request of the console. */
export async function findSession(db: Database, token: string, now: Micros): Promise<Session | undefined> {
  const [row] = await db.sql<[SessionRow?]>`
    select s.id, s.account_id, s.last_used_at, a.email_address
    from relata.sessions s join relata.accounts a on a.id = s.account_id
    where s.token_hash = decode(${hashSecret(token)}, 'hex') and s.expires_at > ${timestampFromMicros(now)}`
  if (row === undefined) return undefined
  if (now - microsFromPostgres(row.last_used_at) >= USE_RECORDED_EVERY) await recordSessionUse(db, row.id, now)
  return {
    id: row.id,
    accountId: row.account_id,
    emailAddress: row.email_address,
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

export interface AccountSession {
  id: string
  user_agent: string
  address: string | null
  /** As PostgreSQL prints it. */
  created_at: string
  last_used_at: string
}

/** Returns the sessions that have not ended. The one used last comes first. */
export const listSessions = ({ control }: Database, accountId: string, now: Micros): Promise<AccountSession[]> =>
  control
    .selectFrom('relata.sessions')
    .select(['id', 'user_agent', 'address', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', timestampFromMicros(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()

/** Ends a session of an account. Returns false when the account has no session with this id. */
export async function endSession(sql: Sql | Transaction, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Ends all sessions of an account, except the session `except`. */
export async function endSessions(sql: Sql | Transaction, accountId: string, except?: string): Promise<void> {
  await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', accountId)
    .$if(except !== undefined, (query) => query.where('id', '<>', except ?? ''))
    .execute()
}

/** Ends all sessions of an account that has access to no workspace any more. */
export async function endSessionsWithoutAccess(tx: Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.sessions')
    .where('account_id', '=', accountId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('relata.workspace_members')
            .select('id')
            .where('account_id', '=', accountId)
            .where('access_level', '<>', 'suspended'),
        ),
      ),
    )
    .execute()
}

export async function deleteExpiredSessions(sql: Sql | Transaction, now: Micros): Promise<void> {
  await controlQueriesIn(sql)
    .deleteFrom('relata.sessions')
    .where('expires_at', '<=', timestampFromMicros(now))
    .execute()
}

interface SessionRow {
  id: string
  account_id: string
  last_used_at: string
  email_address: string
}
