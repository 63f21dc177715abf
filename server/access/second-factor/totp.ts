/**
 * Time-based one-time passwords of an account (RFC 6238): six digits, a time step of 30 seconds, SHA-1, which all
 * authenticator apps support. A code is accepted once. See docs/reference/sign-in.md (Second factor).
 */

import { Secret, TOTP } from 'otpauth'
import type { SecretCipher, Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'

const STEP_SECONDS = 30
const SECRET_BYTES = 20
/** How many steps the clock of a phone may differ. */
const TOLERATED_STEPS = 1

export interface NewTotp {
  /** In base 32, for typing it into an app. */
  readonly secret: string
  /** The `otpauth:` URI, for a QR code. */
  readonly uri: string
}

interface TotpTables {
  readonly sql: Sql | Transaction
  readonly secrets: SecretCipher
}

const rowOf = (accountId: string) => ({ table: 'totp_secrets', key: [accountId] }) as const

/** Stores a new secret that is not confirmed. It replaces one that is not confirmed either. Undefined: a secret is confirmed. */
export async function createTotp(
  { sql, secrets }: TotpTables,
  { accountId, label, issuer }: { readonly accountId: string; readonly label: string; readonly issuer: string },
  now: Micros,
): Promise<NewTotp | undefined> {
  const secret = new Secret({ size: SECRET_BYTES }).base32
  const created_at = timestampFromMicros(now)
  const encrypted = await secrets.encrypt(sql, rowOf(accountId), secret)
  const { numInsertedOrUpdatedRows } = await controlQueriesIn(sql)
    .insertInto('relata.totp_secrets')
    .values({ account_id: accountId, secret: encrypted, created_at })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ secret: encrypted, created_at, last_step: '0' })
        .where('relata.totp_secrets.confirmed_at', 'is', null),
    )
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return undefined
  return { secret, uri: totpOf(secret, issuer, label).toString() }
}

/** Whether the code belongs to the confirmed secret of the account, and no code of its time step was accepted before. */
export const acceptTotp = (tables: TotpTables, accountId: string, code: string, now: Micros): Promise<boolean> =>
  acceptCode(tables, { accountId, isConfirmed: true }, code, now)

/** Confirms the secret by its first code. Returns false for a wrong code, and without a secret that waits for one. */
export async function confirmTotp(tables: TotpTables, accountId: string, code: string, now: Micros): Promise<boolean> {
  if (!(await acceptCode(tables, { accountId, isConfirmed: false }, code, now))) return false
  await controlQueriesIn(tables.sql)
    .updateTable('relata.totp_secrets')
    .set({ confirmed_at: timestampFromMicros(now) })
    .where('account_id', '=', accountId)
    .execute()
  return true
}

async function acceptCode(
  { sql, secrets }: TotpTables,
  { accountId, isConfirmed }: { readonly accountId: string; readonly isConfirmed: boolean },
  code: string,
  now: Micros,
): Promise<boolean> {
  const control = controlQueriesIn(sql)
  const row = await control
    .selectFrom('relata.totp_secrets')
    .select(['secret', 'created_at'])
    .where('account_id', '=', accountId)
    .where('confirmed_at', isConfirmed ? 'is not' : 'is', null)
    .executeTakeFirst()
  const step = row && stepOf(secrets.decrypt(rowOf(accountId), row.secret), code, now)
  if (row === undefined || step === undefined) return false
  // Of two requests with one code, the second finds its step stored.
  const { numUpdatedRows } = await control
    .updateTable('relata.totp_secrets')
    .set({ last_step: String(step) })
    .where('account_id', '=', accountId)
    // A rotation of the secret key changes the column.
    .where('created_at', '=', row.created_at)
    .where('last_step', '<', String(step))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Returns the time step of a code, or undefined for a code of no step near now. */
function stepOf(secret: string, code: string, now: Micros): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const timestamp = now / 1000
  const delta = totpOf(secret).validate({ token: code, timestamp, window: TOLERATED_STEPS })
  return delta === null ? undefined : Math.floor(timestamp / 1000 / STEP_SECONDS) + delta
}

const totpOf = (secret: string, issuer = '', label = '') =>
  new TOTP({ issuer, label, secret: Secret.fromBase32(secret), period: STEP_SECONDS, digits: 6, algorithm: 'SHA1' })

/** Returns when the confirmed secret was created, as PostgreSQL prints it. */
export async function findTotp(sql: Sql | Transaction, accountId: string): Promise<string | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.totp_secrets')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row?.created_at
}

/** Returns false when the account has no confirmed secret. */
export async function deleteTotp(sql: Sql | Transaction, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.totp_secrets')
    .where('account_id', '=', accountId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
