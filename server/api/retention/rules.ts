/** The retention rules of objects: after how many days without a change their records are deleted. See docs/decisions/retention.md. */

import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Queue } from '#engine/queue'
import type { RETENTION_ACTIONS } from '#vocabulary/data-model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

export interface RetentionRule {
  readonly days: number
  readonly action: (typeof RETENTION_ACTIONS)[number]
}

export interface StoredRule extends RetentionRule {
  readonly due_at: string | null
  /** Of the last run that ended, like `ran_deleted`. */
  readonly ran_at: string | null
  readonly ran_deleted: number | null
}

export const DAY: Micros = 86_400_000_000

export const retentionQueue = {
  table: 'relata.retention_rules',
  id: 'object_id',
  lease: 60_000_000,
  // No process deletes while the database may be a copy.
  sends: true,
} as const satisfies Queue<'relata.retention_rules'>

export const findRule = (
  sql: Sql | Transaction,
  workspaceId: string,
  objectId: string,
): Promise<StoredRule | undefined> =>
  controlQueriesIn(sql)
    .selectFrom('relata.retention_rules')
    .select(['days', 'action', 'due_at', 'ran_at', 'ran_deleted'])
    .where(equal({ workspace_id: workspaceId, object_id: objectId }))
    .$castTo<StoredRule>()
    .executeTakeFirst()

/** Replaces the rule. Its first run is due a day later, and a run of the rule before ends. */
export async function saveRule(
  tx: Transaction,
  { workspaceId, objectId }: { readonly workspaceId: string; readonly objectId: string },
  { days, action }: RetentionRule,
  now: Micros,
): Promise<void> {
  const values = {
    days,
    action,
    due_at: timestampFromMicros(now + DAY),
    position: null,
    deleted: 0,
    attempts: 0,
    leased_by: null,
    worker: null,
  }
  await controlQueriesIn(tx)
    .insertInto('relata.retention_rules')
    .values({ workspace_id: workspaceId, object_id: objectId, ...values })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'object_id']).doUpdateSet(values))
    .execute()
}

export async function deleteRule(tx: Transaction, workspaceId: string, objectId: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.retention_rules')
    .where(equal({ workspace_id: workspaceId, object_id: objectId }))
    .execute()
}
