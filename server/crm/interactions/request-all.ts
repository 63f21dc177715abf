/** Requests that all interaction attributes of a workspace are computed. */

import { sql } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { DataModel } from '#engine/data-model/model'
import { readIds } from '#engine/storage/statements/entity-type-statements'
import type { InteractionActivity } from '#engine/storage/statements/interaction-statements'
import { findContactsOf, interactionActivities } from './interaction-activities'
import { type QueuedRecord, requestRefreshes, requestRefreshesFor } from './refresh-queue'

const BATCH_SIZE = 1_000

export async function requestAllRefreshes(db: Database, model: DataModel, now: Clock): Promise<void> {
  const workspaceId = model.workspace.id
  // Records whose addresses lost their emails and meetings.
  await db.control
    .updateTable('relata.interaction_refreshes')
    .set({ due_at: timestampFromMicros(now()) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  for (const interaction of interactionActivities(model)) await requestOfActivity(db.sql, model, interaction, now())
  for (const table of SOURCES) {
    let last = ''
    for (;;) {
      const addresses: string[] = await listAddresses(db, workspaceId, table, last)
      await requestRefreshesFor(db.sql, model, addresses, now())
      last = addresses.at(-1) ?? ''
      if (addresses.length < BATCH_SIZE) break
    }
  }
}

/**
 * Requests the attributes of all people and companies to which records of the activity refer. Its row in the queue stands for the
 * records after its `record_id`, or for all if that is the id of the activity: the worker continues with a row for the next ones.
 */
export const requestOfActivity = (
  db: Sql | Transaction,
  model: DataModel,
  { activity: { id } }: InteractionActivity,
  now: Micros,
): Promise<void> => requestRefreshes(db, model.workspace.id, [{ objectId: id, recordId: id }], now)

/** Before the first id. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000'

/** Requests what a row of an activity stands for, and the row for the records behind the next thousand. */
export async function requestNextOfActivity(
  db: Sql,
  model: DataModel,
  interaction: InteractionActivity,
  { objectId, recordId }: QueuedRecord,
  now: Micros,
): Promise<void> {
  const after = recordId === objectId ? NO_RECORD : recordId
  const ids = await readIds(db, model, interaction.activity, { after, limit: BATCH_SIZE })
  const next = ids.length < BATCH_SIZE ? [] : ids.slice(-1).map((id) => ({ objectId, recordId: id }))
  const contacts = await findContactsOf(db, model, interaction, ids)
  await requestRefreshes(db, model.workspace.id, [...contacts, ...next], now)
}

const SOURCES = ['relata.email_addresses', 'relata.meeting_participants'] as const

/** The addresses after `last`, in order. Each is found by its own step down the index, however many emails it has. */
async function listAddresses(db: Database, workspaceId: string, table: string, last: string): Promise<string[]> {
  const next = (after: ReturnType<typeof sql>) => sql`
    (select email_address from ${sql.raw(table)}
     where workspace_id = ${workspaceId} and email_address > ${after} order by email_address limit 1)`
  const { rows } = await sql<{ address: string | null }>`
    with recursive addresses(address) as (
      select ${next(sql`${last}`)} union all
      select ${next(sql`addresses.address`)} from addresses where addresses.address is not null
    )
    select address from addresses where address is not null limit ${BATCH_SIZE}`.execute(db.control)
  return rows.flatMap(({ address }) => (address === null ? [] : [address]))
}
