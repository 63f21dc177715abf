/** The queue of contacts. See docs/decisions/contacts-and-interactions.md. */

import { sql } from 'kysely'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/** A meeting whose participants are to be linked, or people whose companies and earlier meetings are to be found. */
export interface ContactJob {
  readonly workspace_id: string
  readonly id: string
  readonly meeting_id: string | null
  readonly record_ids: readonly string[] | null
  /** How many attempts were made, including this one. */
  readonly attempts: number
}

/** Queues a meeting, in the transaction that writes its participants. */
export async function queueMeeting(
  tx: Transaction,
  workspaceId: string,
  meetingId: string,
  now: Micros,
): Promise<void> {
  const at = timestampFromMicros(now)
  const job = { workspace_id: workspaceId, id: newId(), meeting_id: meetingId, is_bulk: false }
  await controlQueriesIn(tx)
    .insertInto('relata.contact_jobs')
    .values({ ...job, created_at: at, due_at: at })
    .execute()
}

export interface QueuedPeople {
  readonly workspace_id: string
  readonly record_ids: readonly string[]
  readonly is_bulk: boolean
}

/** Queues people of workspaces that create contacts or have meetings, in the transaction that publishes their events. */
export async function queuePeople(tx: Sql | Transaction, queued: readonly QueuedPeople[], now: Micros): Promise<void> {
  const rows = queued.map((each) => ({ ...each, id: newId() }))
  await tx`
    insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at)
    select w.id, j.id, array(select json_array_elements_text(j.record_ids))::uuid[], j.is_bulk,
      ${timestampFromMicros(now)}, ${timestampFromMicros(now)}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as j(workspace_id uuid, id uuid, record_ids json, is_bulk boolean)
    join relata.workspaces w on w.id = j.workspace_id and (w.creates_contacts or exists (
      select from relata.meeting_participants p where p.workspace_id = w.id and p.email_address is not null))`
}

/** The first delay between attempts, doubled after each. The jobs of a batch take less. */
const FIRST_DELAY = '5 minutes'
const MAX_DOUBLINGS = 8
/** Bulk jobs wait until no new one came for this time, so that an import does not share the machine with them. */
const QUIET_TIME = '10 seconds'
/** A bulk job waits at most this long. */
const MAX_WAIT = '10 minutes'

/** Takes due jobs. Other processes do not get them before the next attempt is due. */
export async function claimJobs(db: Database, now: Micros, limit: number): Promise<ContactJob[]> {
  const at = timestampFromMicros(now)
  return db.sql<ContactJob[]>`
    update relata.contact_jobs j
    set due_at = ${at}::timestamptz + ${FIRST_DELAY}::interval * 2 ^ least(j.attempts, ${MAX_DOUBLINGS}::int),
      attempts = j.attempts + 1, worker = ${db.pools.applicationName}
    from (
      select workspace_id, id from relata.contact_jobs q
      where due_at <= ${at}::timestamptz and (not is_bulk or created_at < ${at}::timestamptz - ${MAX_WAIT}::interval
        or not exists (
          select from relata.contact_jobs n where n.workspace_id = q.workspace_id and n.is_bulk
            and n.created_at > ${at}::timestamptz - ${QUIET_TIME}::interval))
      order by due_at limit ${limit} for update skip locked
    ) due
    where j.workspace_id = due.workspace_id and j.id = due.id
    returning j.workspace_id, j.id, j.meeting_id, j.record_ids, j.attempts`
}

/** Deletes jobs of one workspace. */
export async function deleteJobs(db: Database, workspaceId: string, jobs: readonly ContactJob[]): Promise<void> {
  await controlQueriesIn(db.sql)
    .deleteFrom('relata.contact_jobs')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any(${renderArray(jobs.map(({ id }) => id))}::uuid[])`)
    .execute()
}
