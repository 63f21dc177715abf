/** Which second factors an account has. See docs/reference/sign-in.md (Second factor). */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { SecondFactor } from '#access/sessions/sessions'
import { deleteRecoveryCodes } from './recovery-codes'

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
