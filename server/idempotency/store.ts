/** Kept answers, in the transaction of what they answer to. */

import type { Database, Transaction } from '../../db/connect'
import { timestampFromMicros, type Micros } from '../time'
import type { KeyedRequest } from './keyed-request'

/** An answer as it is kept: its text, and the headers that are its own. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const KEPT_FOR_MICROS = 24 * 3_600_000_000

/** Whether it is this request's turn: nobody else's with the same scope runs until the end of the transaction. */
export async function takeTurn(tx: Transaction, { scope }: KeyedRequest): Promise<boolean> {
  const [row] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${BigInt.asIntN(64, BigInt(`0x${scope.slice(0, 16)}`)).toString()}::bigint) as taken`
  return row?.taken === true
}

/** What was answered within a day, and to what. */
export async function findAnswer(
  tx: Transaction,
  { workspaceId, scope }: KeyedRequest,
  now: Micros,
): Promise<(KeptAnswer & { readonly request: string }) | undefined> {
  const [row] = await tx<{ status: number; headers: string; text: string; request: string }[]>`
    select status, headers, body as text, encode(request, 'hex') as request from relata.idempotent_answers
    where workspace_id = ${workspaceId} and scope = decode(${scope}, 'hex')
      and answered_at > ${timestampFromMicros(now - KEPT_FOR_MICROS)}`
  return row && { ...row, headers: JSON.parse(row.headers) as KeptAnswer['headers'] } // as `keepAnswer` wrote them
}

/** In place of one that is too old to be found. */
export async function keepAnswer(
  tx: Transaction,
  { workspaceId, scope, request }: KeyedRequest,
  { status, headers, text }: KeptAnswer,
  now: Micros,
): Promise<void> {
  await tx`
    insert into relata.idempotent_answers (workspace_id, scope, request, status, headers, body, answered_at)
    values (${workspaceId}, decode(${scope}, 'hex'), decode(${request}, 'hex'), ${status},
      ${JSON.stringify(headers)}::text::jsonb, ${text}, ${timestampFromMicros(now)})
    on conflict (workspace_id, scope) do update set request = excluded.request, status = excluded.status,
      headers = excluded.headers, body = excluded.body, answered_at = excluded.answered_at`
}

/** Deletes at most `most` answers older than a day, and says how many. */
export async function forgetAnswers(db: Database, now: Micros, most: number): Promise<number> {
  const { count } = await db.sql`
    delete from relata.idempotent_answers where (workspace_id, scope) in (
      select workspace_id, scope from relata.idempotent_answers
      where answered_at <= ${timestampFromMicros(now - KEPT_FOR_MICROS)}
      order by answered_at limit ${most} for update skip locked)`
  return count
}
