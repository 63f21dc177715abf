/** What an operation of SCIM needs of the process and of its request. */

import type { Database, Sql, Transaction } from '#db/connect'
import type { AuditActor } from '#access/audit-log/audit'
import type { AppContext } from '#context'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { ScimInput } from '#api/http/scim/scim-endpoint'
import { SCIM_PATH } from '#api/http/scim/scim-response'
import type { Clock } from '#base/timing/clock'

export interface ScimContext {
  readonly appContext: AppContext
  readonly db: Database
  readonly now: Clock
  readonly workspaceId: string
  /** The number of the actor of the token. */
  readonly actor: number
  /** The member who authorised the token. */
  readonly memberId: string
  /** The address of the client; null when it is unknown. */
  readonly address: string | null
}

export const scimContext = (appContext: AppContext, { caller, address }: ScimInput): ScimContext => ({
  appContext,
  db: appContext.db,
  now: appContext.now,
  workspaceId: caller.workspaceId,
  actor: caller.actor,
  memberId: caller.authorizedBy,
  address,
})

/** Returns the URL of a resource. */
export const urlOfResource = (
  { settings }: Pick<AppContext, 'settings'>,
  kind: 'Users' | 'Groups' | 'Schemas' | 'ResourceTypes',
  id: string,
): string => `${settings.appUrl}${SCIM_PATH}/${kind}/${id}`

/** Runs a change in one transaction. Its change events are published at once. */
export async function inTransaction<T>(
  { db, appContext, workspaceId }: Pick<ScimContext, 'db' | 'appContext' | 'workspaceId'>,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const changed = await db.sql.begin(async (tx) => ({ result: await change(tx) }))
  appContext.models.remove(workspaceId)
  appContext.events?.wake()
  return (changed as { result: T }).result // the driver's type for the callback's result is wider
}

/** Returns the actor of the token for the audit log. */
export async function scimAuditActorOf(
  connection: Sql | Transaction,
  { workspaceId, actor: number, address }: ScimContext,
): Promise<AuditActor> {
  const actor = await controlQueriesIn(connection)
    .selectFrom('relata.actors')
    .select(['type', 'id'])
    .where(equal({ workspace_id: workspaceId, number }))
    .executeTakeFirst()
  return { actor: actor ?? null, address }
}
