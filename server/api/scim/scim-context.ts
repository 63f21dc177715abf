/** What an operation of SCIM needs of the process and of its request. */
import type { AuditActor } from '#access/audit-log/audit'
import { SCIM_PATH, type ScimInput } from '#api/http/scim/scim-endpoint'
import type { Clock } from '#base/timing/clock'
import type { AppContext } from '#context'
import type { Database, Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

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

/** The limits of what identity providers send. Lengths are in characters. See docs/reference/scim.md (Limits). */
export const SCIM_LIMITS = {
  filterLength: 4_000,
  /** Of a filter. */
  comparisons: 100,
  /** Parentheses, brackets and `not` within each other. */
  filterDepth: 20,
  pathLength: 1_000,
  /** Of one PATCH. */
  operations: 1_000,
  /** Of one list of members in a request. */
  members: 10_000,
  /** Of `attributes` and `excludedAttributes`. */
  attributesLength: 2_000,
  /** The resources of one page. */
  pageSize: 100,
  nameLength: 200,
  externalIdLength: 500,
  /** Of a role that is JSON in a text. */
  roleLength: 1_000,
} as const
