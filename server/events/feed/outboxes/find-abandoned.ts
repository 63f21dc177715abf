/**
 * Finds the workspaces in whose outboxes other processes may have left events: processes that were killed, that do not renew
 * their registration, or that do not publish. Idle workspaces have no registration, so they cost nothing. Decision 0113.
 */

import type { Database } from '#db/connect'

export interface AbandonedOutbox {
  readonly workspace_id: string
  readonly process: string
  /** Whether the process cannot write any more under its registration, which is deleted when the outbox is empty. */
  readonly is_ended: boolean
}

interface Row extends AbandonedOutbox {
  readonly is_connected: boolean
  readonly is_publishing: boolean
}

/** A process deletes registrations that it does not use soon after they ended. */
const OVERDUE_S = 30

/** Returns a function that finds the outboxes to publish. It names those of a killed process once, and once more when it is ended. */
export function createAbandonedCheck(db: Database): () => Promise<AbandonedOutbox[]> {
  let named = new Set<string>()
  return async () => {
    const rows = await db.sql<Row[]>`
      with writers as (
        select workspace_id, process, is_publishing, registered_until,
          process in (select application_name from pg_stat_activity) as is_connected
        from relata.outbox_writers where process <> ${db.pools.applicationName})
      select workspace_id, process, is_publishing, is_connected,
        not is_connected and registered_until < clock_timestamp() as is_ended
      from writers
      where not is_connected or not is_publishing
        or registered_until < clock_timestamp() - make_interval(secs => ${OVERDUE_S})`
    const isOnce = ({ is_connected, is_ended }: Row) => !is_connected && !is_ended
    const found = rows.filter((row) => !(isOnce(row) && named.has(keyOf(row))))
    named = new Set(rows.filter(isOnce).map(keyOf))
    return found
  }
}

const keyOf = ({ workspace_id, process }: AbandonedOutbox): string => `${workspace_id} ${process}`

/** Deletes registrations that ended before their outboxes were published. A process that registered again keeps its registration. */
export async function deleteEnded(db: Database, outboxes: readonly AbandonedOutbox[]): Promise<void> {
  if (outboxes.length === 0) return
  await db.sql`
    delete from relata.outbox_writers w
    using unnest(${outboxes.map(({ workspace_id }) => workspace_id)}::uuid[], ${outboxes.map(({ process }) => process)}::text[])
      as ended(workspace_id, process)
    where w.workspace_id = ended.workspace_id and w.process = ended.process and w.registered_until < clock_timestamp()`
}
