/**
 * Recovery codes sign in without the second factor. Each works once. The database has their hashes: a code has 80 random
 * bits, so it needs no slow hash. See docs/reference/sign-in.md (Recovery codes).
 */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { hashColumn } from '#access/secrets'

const CODES = 10
const LETTERS = 'abcdefghjkmnpqrstuvwxyz023456789'
const CODE_LENGTH = 16

/** Replaces all codes of an account and returns the new ones. */
export async function createRecoveryCodes(tx: Transaction, accountId: string): Promise<string[]> {
  await deleteRecoveryCodes(tx, accountId)
  const codes = Array.from({ length: CODES }, newCode)
  await controlQueriesIn(tx)
    .insertInto('relata.recovery_codes')
    .values(codes.map((code) => ({ account_id: accountId, code_hash: hashOf(accountId, code) })))
    .execute()
  return codes
}

/** Deletes the code. Returns false for a code that does not exist, or was used. */
export async function useRecoveryCode(sql: Sql | Transaction, accountId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.recovery_codes')
    .where(equal({ account_id: accountId, code_hash: hashOf(accountId, code) }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function countRecoveryCodes(sql: Sql | Transaction, accountId: string): Promise<number> {
  const { count } = await controlQueriesIn(sql)
    .selectFrom('relata.recovery_codes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteRecoveryCodes(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.recovery_codes').where('account_id', '=', accountId).execute()
}

/** Sixteen letters of an alphabet of 32, in groups of four. */
function newCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(CODE_LENGTH))].map((byte) => LETTERS[byte % 32] ?? '')
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-')
}

/** Spaces, hyphens and upper case make no difference. */
const hashOf = (accountId: string, code: string) =>
  hashColumn(`${accountId} ${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`)
