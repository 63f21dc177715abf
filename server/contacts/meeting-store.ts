/** Reads the participants of a meeting, and writes the links to the records that they match. */

import { SYSTEM_ACTOR } from '../data-model/model'
import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import { VersionConflict } from '../storage/preconditions'
import { type Micros, timestampFromMicros } from '../timing/clock'

export interface ParticipantAddress {
  readonly address: string
  readonly name: string | null
}

/** The participants with an address, in their order. */
export async function readAddresses(
  db: Sql | Transaction,
  workspaceId: string,
  meetingId: string,
): Promise<readonly ParticipantAddress[]> {
  const rows = await controlQueriesIn(db)
    .selectFrom('relata.meeting_participants')
    .select(['email_address', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('meeting_id', '=', meetingId)
    .orderBy('position')
    .execute()
  return rows.flatMap(({ email_address, name }) => (email_address === null ? [] : [{ address: email_address, name }]))
}

export interface MatchedRecord {
  readonly objectId: string
  readonly recordId: string
}

export interface MatchedParticipants {
  readonly participants: readonly ParticipantAddress[]
  readonly matched: readonly MatchedRecord[]
  readonly now: Micros
}

/**
 * Replaces the links that participants matched. Links that callers gave stay, and links that stay keep their time. The
 * version of the meeting rises with a change. The caller has locked the records. Throws `VersionConflict` when the meeting has
 * other participants now than those that were matched.
 */
export async function saveMatchedRecords(
  tx: Transaction,
  workspaceId: string,
  meetingId: string,
  { participants, matched, now }: MatchedParticipants,
): Promise<void> {
  const db = controlQueriesIn(tx)
  // The lock comes first: a statement that waits for the lock sees the links as they were when it began.
  await sql`select 1 from relata.meetings where workspace_id = ${workspaceId} and id = ${meetingId} for update`.execute(
    db,
  )
  if (!Bun.deepEquals(await readAddresses(tx, workspaceId, meetingId), participants)) throw new VersionConflict()
  const rows = matched.map(({ objectId, recordId }, index) => ({ object_id: objectId, record_id: recordId, index }))
  await sql`
    with ended as (
      delete from relata.meeting_links where workspace_id = ${workspaceId} and meeting_id = ${meetingId} and not is_given
        and record_id <> all(${renderArray(matched.map(({ recordId }) => recordId))}::uuid[]) returning 1
    ), added as (
      insert into relata.meeting_links (workspace_id, meeting_id, object_id, record_id, position, is_given, linked_at,
        linked_by, is_all_day, duration_class, starts_at, ends_at)
      select m.workspace_id, m.id, r.object_id, r.record_id, ${FIRST_POSITION}::int + r.index, false,
        ${timestampFromMicros(now)}::timestamptz, ${SYSTEM_ACTOR}::int, m.is_all_day, m.duration_class, m.starts_at, m.ends_at
      from relata.meetings m, json_to_recordset(${JSON.stringify(rows)}::text::json)
        as r(object_id uuid, record_id uuid, index int)
      where m.workspace_id = ${workspaceId} and m.id = ${meetingId}
      on conflict (workspace_id, meeting_id, record_id) do nothing returning 1
    )
    update relata.meetings set version = version + 1 where workspace_id = ${workspaceId} and id = ${meetingId}
      and (exists (select from ended) or exists (select from added))`.execute(db)
}

/** After all links that callers give. */
const FIRST_POSITION = 1000
