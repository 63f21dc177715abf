/** The queue of contacts. See docs/decisions/contacts-and-interactions.md. */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Queue, Taken } from '#engine/queue'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { FeedReader } from '#crm/follow-feed'
import { contactTypesOf } from './contact-types'

/** A meeting whose participants are to be linked, or people whose companies and earlier meetings are to be found. */
export type ContactJob = Taken<'relata.contact_jobs'>

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

interface QueuedPeople {
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

/** Bulk jobs wait until no new one came for this time, so that an import does not share the machine with them. */
const QUIET_TIME = '10 seconds'
/** A bulk job waits at most this long. */
const MAX_WAIT = '10 minutes'

/** The jobs of a batch take less time than the first back-off. */
export const contactQueue: Queue<'relata.contact_jobs'> = {
  table: 'relata.contact_jobs',
  id: 'id',
  lease: 'back-off',
  isReady: (
    at,
  ) => sql<boolean>`(not q.is_bulk or q.created_at < ${at}::timestamptz - ${MAX_WAIT}::interval or not exists (
    select from relata.contact_jobs n where n.workspace_id = q.workspace_id and n.is_bulk
      and n.created_at > ${at}::timestamptz - ${QUIET_TIME}::interval))`,
}

// Queues people that were created or that got email addresses, from their change events, so that the writes of people cost nothing more.
// See docs/decisions/contacts-and-interactions.md.

const MAX_IN_JOB = 500
/** More people in one batch of events come from an import or a script. */
const MIN_BULK = 50

export const queueChangedPeople: FeedReader = async (tx, events, { now, model }) => {
  const types = contactTypesOf(model)
  if (types === undefined) return
  const { people, emailAddresses } = types
  const changed = new Set<string>()
  for (const { event_type, id } of events) {
    const isConcerned =
      (event_type === 'record.created' && id.object_id === people.id) ||
      (event_type === 'record.updated' && id.attribute_id === emailAddresses.id)
    if (isConcerned && id.record_id !== undefined) changed.add(id.record_id)
  }
  const recordIds = [...changed]
  const jobs: QueuedPeople[] = []
  for (let start = 0; start < recordIds.length; start += MAX_IN_JOB)
    jobs.push({
      workspace_id: model.workspace.id,
      record_ids: recordIds.slice(start, start + MAX_IN_JOB),
      is_bulk: recordIds.length >= MIN_BULK,
    })
  if (jobs.length > 0) await queuePeople(tx, jobs, now())
}
