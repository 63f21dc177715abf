import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
import type { OwnSession } from './sessions'

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
