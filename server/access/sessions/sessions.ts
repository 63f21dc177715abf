/**
 * A person's sessions at the console. Each request looks its session up, so that an end is felt at once in every
 * process. Decision 0040.
 */

import type { Database, Sql, Transaction } from '../../../db/connect'
import { newId } from '../../ids'
import { microsFromPostgres, timestampFromMicros, type Micros } from '../../timing/clock'
import { derivedSecret, hashSecret, newSecret } from '../secrets'

export interface Session {
  readonly id: string
  readonly accountId: string
  readonly emailAddress: string
  /** What every request that changes something must bring besides the cookie. */
  readonly csrfToken: string
}

/** Where a session was begun. */
export interface Device {
  readonly userAgent: string
  readonly address: string | null
}

const SECOND = 1_000_000
/** A session ends when it was not used for so long. */
export const SESSION_SECONDS = 30 * 24 * 3600
/** How exactly it is known when it was last used. */
const USE_RECORDED_EVERY = 300 * SECOND
const MAX_USER_AGENT = 300

/** Begins a session; its token is known to the browser alone. */
export async function createSession(
  sql: Sql | Transaction,
  accountId: string,
  { userAgent, address }: Device,
  now: Micros,
): Promise<{ id: string; token: string }> {
  const id = newId()
  const token = newSecret()
  const at = timestampFromMicros(now)
  await sql`
    insert into relata.sessions
      (id, account_id, token_hash, user_agent, address, created_at, last_used_at, expires_at)
    values
      (${id}, ${accountId}, decode(${hashSecret(token)}, 'hex'), ${userAgent.slice(0, MAX_USER_AGENT)}, ${address},
       ${at}, ${at}, ${expiryFrom(now)})`
  return { id, token }
}

/** The session with this token, unless it has ended. Its end moves on with its use. */
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

async function recordSessionUse(db: Database, id: string, now: Micros): Promise<void> {
  await db.sql`
    update relata.sessions set last_used_at = ${timestampFromMicros(now)}, expires_at = ${expiryFrom(now)}
    where id = ${id}`
}

const expiryFrom = (now: Micros): string => timestampFromMicros(now + SESSION_SECONDS * SECOND)

export interface AccountSession {
  id: string
  user_agent: string
  address: string | null
  /** As PostgreSQL prints them. */
  created_at: string
  last_used_at: string
}

/** Those that last, the one used last first. */
export async function listSessions({ sql }: Database, accountId: string, now: Micros): Promise<AccountSession[]> {
  return sql<AccountSession[]>`
    select id, user_agent, address, created_at, last_used_at from relata.sessions
    where account_id = ${accountId} and expires_at > ${timestampFromMicros(now)} order by last_used_at desc, id`
}

/** Ends one session of an account; false when it has none of this id. */
export async function endSession(sql: Sql | Transaction, accountId: string, id: string): Promise<boolean> {
  const ended = await sql`delete from relata.sessions where account_id = ${accountId} and id = ${id} returning id`
  return ended.length > 0
}

/** Ends all sessions of an account, but for one where it is given. */
export async function endSessions(sql: Sql | Transaction, accountId: string, except?: string): Promise<void> {
  await sql`
    delete from relata.sessions
    where account_id = ${accountId} and id is distinct from ${except ?? null}::uuid`
}

/** What has ended by itself is of no use to anybody. */
export async function deleteExpiredSessions(sql: Sql | Transaction, now: Micros): Promise<void> {
  await sql`delete from relata.sessions where expires_at <= ${timestampFromMicros(now)}`
}

interface SessionRow {
  id: string
  account_id: string
  last_used_at: string
  email_address: string
}
