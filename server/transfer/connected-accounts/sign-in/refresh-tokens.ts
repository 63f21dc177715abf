/** Refreshes the tokens of an account before they end. */

import type { AppContext } from '#context'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import { accountFromRow, type AccountRow, encryptAccountSecret } from '#transfer/connected-accounts/store'

type RefreshContext = Pick<AppContext, 'db' | 'now' | 'accountServers'>

/** A connection that begins with a token is open for longer than the token is valid. */
const BEFORE_END_MS = 5 * 60_000

/**
 * Returns the row with a token that is valid for some minutes. Throws `AccountProblem` when the provider gives none. Two processes may refresh at
 * the same time: the second one uses what the first one stored.
 */
export async function withFreshToken<Row extends AccountRow>(
  { db, now, accountServers: { signIn } }: RefreshContext,
  row: Row,
): Promise<Row> {
  const { secret } = accountFromRow(db.secrets, row)
  if (secret === undefined || !('refresh_token' in secret) || secret.expires_at > now() / 1000 + BEFORE_END_MS)
    return row
  if (signIn === undefined) throw new AccountProblem('no_provider')
  const key = { workspace_id: row.workspace_id, id: row.id }
  try {
    const tokens = await signIn.refresh(secret.provider, secret.refresh_token)
    const encrypted = await db.sql.begin(async (tx) => {
      const made = await encryptAccountSecret(
        db,
        tx,
        { workspaceId: key.workspace_id, id: key.id },
        { ...secret, ...tokens },
      )
      await controlQueriesIn(tx)
        .updateTable('relata.connected_accounts')
        .set({ secret: made })
        .where(equal({ ...key, secret: row.secret ?? '' }))
        .execute()
      return made
    })
    return { ...row, secret: encrypted as string } // the driver's type for the callback's result is wider
  } catch (error) {
    const other = await readSecret(db, key)
    if (error instanceof AccountProblem && other !== null && other !== row.secret) return { ...row, secret: other }
    throw error
  }
}

/** Has the next attempt refresh the token of an account: its server refuses it before its end. */
export async function endToken({ db }: Pick<RefreshContext, 'db'>, row: AccountRow): Promise<void> {
  const account = accountFromRow(db.secrets, row)
  const { secret } = account
  if (secret === undefined || !('refresh_token' in secret)) return
  await db.sql.begin(async (tx) => {
    const ended = await encryptAccountSecret(db, tx, account, { ...secret, expires_at: 0 })
    await controlQueriesIn(tx)
      .updateTable('relata.connected_accounts')
      .set({ secret: ended })
      .where(equal({ workspace_id: row.workspace_id, id: row.id, secret: row.secret ?? '' }))
      .execute()
  })
}

async function readSecret(
  { sql }: AppContext['db'],
  key: { readonly workspace_id: string; readonly id: string },
): Promise<string | null> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.connected_accounts')
    .select('secret')
    .where(equal(key))
    .executeTakeFirst()
  return row?.secret ?? null
}
