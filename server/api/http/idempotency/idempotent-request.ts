/** Idempotent requests: the key, what two identical requests share, and the stored answer. See docs/reference/errors-and-limits.md (Idempotency). */

import { sql as expression } from 'kysely'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { hasWebhookSecret } from '#db/encrypted-columns'
import { isEncrypted } from '#db/secret-keys'
import { sha256 } from '#base/text/sha256'
import { answerErased, invalidIdempotencyKey } from '#base/errors/http'
import { type Database, renderArray, type Transaction } from '#db/connect'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { envelopeOf } from '#api/http/response/answer'

const KEY = /^[\x21-\x7e]{1,255}$/

export interface IdempotentRequest {
  readonly workspaceId: string
  /** The digest of caller, key, method and address, in hex. */
  readonly keyDigest: string
  /** The digest of the body, in hex. */
  readonly bodyDigest: string
}

/** Returns the key of a request, if it has one. Throws 400 for an invalid key. */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key') ?? headers.get('x-idempotency-key')
  if (key === null) return undefined
  if (!KEY.test(key)) throw invalidIdempotencyKey()
  return key
}

/** `body` is empty when the route reads no body. */
export function identifyRequest(
  caller: { readonly key: string; readonly workspaceId: string },
  key: string,
  { method, url }: { readonly method: string; readonly url: URL },
  body: Uint8Array,
): IdempotentRequest {
  const { pathname, search } = url
  return {
    workspaceId: caller.workspaceId,
    // No part can contain a line break, so different parts never join to the same text.
    keyDigest: sha256([caller.key, key, method, pathname + search].join('\n')),
    bodyDigest: sha256(body),
  }
}

// The statements over `relata.idempotent_answers`. An answer is stored in the transaction of its request.

/** A stored answer, with the headers that only this answer has. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const LIFETIME_MICROS = 24 * 3_600_000_000

/** Tries to lock the scope until the end of the transaction. Returns false while another request has the lock. */
export async function tryLockRequest(tx: Transaction, { keyDigest }: IdempotentRequest): Promise<boolean> {
  const [row] = await tx<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(${BigInt.asIntN(64, BigInt(`0x${keyDigest.slice(0, 16)}`)).toString()}::bigint) as taken`
  return row?.taken === true
}

/** An answer is JSON, unless it has a secret and is encrypted. */
const answerRow = (workspaceId: string, keyDigest: string) =>
  ({ table: 'idempotent_answers', key: [workspaceId, keyDigest] }) as const

/** Returns the answer of the last day, and the digest of the request that it answered. */
export async function findResponse(
  { secrets }: Database,
  tx: Transaction,
  { workspaceId, keyDigest }: IdempotentRequest,
  now: Micros,
): Promise<(StoredResponse & { readonly request: string }) | undefined> {
  const [row] = await tx<{ status: number; headers: string; text: string; request: string }[]>`
    select status, headers, body as text, encode(request, 'hex') as request from relata.idempotent_answers
    where workspace_id = ${workspaceId} and scope = decode(${keyDigest}, 'hex')
      and answered_at > ${timestampFromMicros(now - LIFETIME_MICROS)}`
  if (row === undefined) return undefined
  const text = isEncrypted(row.text) ? secrets.decrypt(answerRow(workspaceId, keyDigest), row.text) : row.text
  return { ...row, text, headers: JSON.parse(row.headers) as StoredResponse['headers'] } // as `storeResponse` wrote them
}

/** Stores an answer. It replaces an expired one. */
export async function storeResponse(
  { secrets }: Database,
  tx: Transaction,
  { workspaceId, keyDigest, bodyDigest }: IdempotentRequest,
  { status, headers, text }: StoredResponse,
  now: Micros,
): Promise<void> {
  const stored = hasWebhookSecret(text) ? await secrets.encrypt(tx, answerRow(workspaceId, keyDigest), text) : text
  await tx`
    insert into relata.idempotent_answers (workspace_id, scope, request, status, headers, body, record_ids, answered_at)
    values (${workspaceId}, decode(${keyDigest}, 'hex'), decode(${bodyDigest}, 'hex'), ${status},
      ${JSON.stringify(headers)}::text::jsonb, ${stored}, ${recordIdsIn(text)}::uuid[], ${timestampFromMicros(now)})
    on conflict (workspace_id, scope) do update set request = excluded.request, status = excluded.status,
      headers = excluded.headers, body = excluded.body, record_ids = excluded.record_ids, answered_at = excluded.answered_at`
}

/** Deletes at most `limit` expired answers. Returns how many it deleted. */
export async function deleteExpiredResponses(db: Database, now: Micros, limit: number): Promise<number> {
  const { numDeletedRows } = await controlQueriesIn(db.sql)
    .deleteFrom('relata.idempotent_answers')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'scope'),
        'in',
        selectFrom('relata.idempotent_answers as expired')
          .select(['expired.workspace_id', 'expired.scope'])
          .where('expired.answered_at', '<=', timestampFromMicros(now - LIFETIME_MICROS))
          .orderBy('expired.answered_at')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .$asTuple('workspace_id', 'scope'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Stored answers of idempotent requests without the values of records that are deleted for good. See docs/decisions/erasure.md. */
const ID =
  /"(?:(?:parent_)?record_id|workspace_id":"[0-9a-f-]{36}","(?:task|meeting)_id)":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g

/**
 * The records whose values, entries, notes, comments or files an answer may have, and the tasks and meetings that are its subject. References
 * name records otherwise.
 */
const recordIdsIn = (answer: string): string[] => [
  ...new Set(Array.from(answer.matchAll(ID), ([, id = '']) => id)), // a match has one group
]

/** Replaces the answers by an error. They are not deleted: a retry would write the values again. `ids` are of records, tasks and meetings. */
export async function eraseAnswers(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  const error = answerErased()
  await controlQueriesIn(tx)
    .updateTable('relata.idempotent_answers')
    .set({ status: error.status, headers: '{}', body: JSON.stringify(envelopeOf(error)), record_ids: [] })
    .where('workspace_id', '=', workspaceId)
    .where(expression<boolean>`record_ids && ${renderArray(ids)}::uuid[]`)
    .execute()
}
