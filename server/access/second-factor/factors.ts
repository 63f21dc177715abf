/**
 * Which second factors an account has, and the codes that sign in without one. Each code works once. The database has their hashes: a code
 * has 80 random bits, so it needs no slow hash. See docs/reference/sign-in.md (Second factor, Recovery codes).
 */
import { hashColumn } from '#access/secrets'
import type { SecondFactor } from '#access/sessions/sessions'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

/** A second factor that this service checks. */
export type OwnFactor = Exclude<SecondFactor, 'provider'>

/** Returns the factors with which the account can sign in; none for an account without a passkey and a TOTP secret. */
export async function listFactors(sql: Sql | Transaction, accountId: string): Promise<OwnFactor[]> {
  const control = controlQueriesIn(sql)
  const has = await control
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('relata.passkeys').select('account_id').where('account_id', '=', accountId)).as('passkey'),
      exists(
        selectFrom('relata.totp_secrets')
          .select('account_id')
          .where('account_id', '=', accountId)
          .where('confirmed_at', 'is not', null),
      ).as('totp'),
      exists(selectFrom('relata.recovery_codes').select('account_id').where('account_id', '=', accountId)).as(
        'recovery',
      ),
    ])
    .executeTakeFirstOrThrow()
  if (!has.passkey && !has.totp) return []
  return [
    ...(has.passkey ? (['passkey'] as const) : []),
    ...(has.totp ? (['totp'] as const) : []),
    ...(has.recovery ? (['recovery-code'] as const) : []),
  ]
}

/** Locks the account, so that concurrent enrolments and removals run one after the other. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(tx)
    .selectFrom('relata.accounts')
    .select('id')
    .where('id', '=', accountId)
    .forUpdate()
    .execute()
}

/** Deletes the recovery codes of an account without a second factor. Returns whether it has none. */
export async function deleteUselessCodes(tx: Transaction, accountId: string): Promise<boolean> {
  if ((await listFactors(tx, accountId)).length > 0) return false
  await deleteRecoveryCodes(tx, accountId)
  return true
}

/** Deletes all second factors and recovery codes of an account. */
export async function deleteFactors(tx: Transaction, accountId: string): Promise<void> {
  const control = controlQueriesIn(tx)
  await control.deleteFrom('relata.passkeys').where('account_id', '=', accountId).execute()
  await control.deleteFrom('relata.totp_secrets').where('account_id', '=', accountId).execute()
  await deleteRecoveryCodes(tx, accountId)
}

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

async function deleteRecoveryCodes(sql: Sql | Transaction, accountId: string): Promise<void> {
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
