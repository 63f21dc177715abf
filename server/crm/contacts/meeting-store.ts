/** Reads the participants of a meeting, and writes the links to the records that they match. */

import { SYSTEM_ACTOR } from '#engine/data-model/model'
import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { VersionConflict } from '#engine/storage/preconditions'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

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
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId }))
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

/** A person with the records that are linked to their meetings. */
export interface MatchedPerson {
  readonly person: MatchedRecord
  readonly addresses: readonly string[]
  readonly companies: readonly MatchedRecord[]
}

export interface UnlinkedMeeting {
  readonly meetingId: string
  readonly personId: string
}

/** Finds meetings that have an address of a person among the participants and no link to the person. */
export async function findUnlinkedMeetings(
  db: Sql,
  workspaceId: string,
  people: readonly MatchedPerson[],
  limit: number,
): Promise<UnlinkedMeeting[]> {
  const rows = people.flatMap(({ person, addresses }) =>
    addresses.map((email_address) => ({ email_address, record_id: person.recordId })),
  )
  if (rows.length === 0) return []
  const found = await sql<{ meeting_id: string; record_id: string }>`
    select p.meeting_id, a.record_id
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as a(email_address text, record_id uuid)
    join relata.meeting_participants p on p.workspace_id = ${workspaceId}::uuid and p.email_address = a.email_address
    where not exists (select from relata.meeting_links l
      where l.workspace_id = p.workspace_id and l.meeting_id = p.meeting_id and l.record_id = a.record_id)
    limit ${limit}`.execute(controlQueriesIn(db))
  return found.rows.map(({ meeting_id, record_id }) => ({ meetingId: meeting_id, personId: record_id }))
}

interface AddedMatches {
  readonly people: readonly MatchedPerson[]
  readonly unlinked: readonly UnlinkedMeeting[]
  readonly now: Micros
}

/**
 * Adds links to people and their companies where the address still takes part. The version of a meeting rises with a new
 * link. The caller has locked the records.
 */
export async function addMatchedRecords(
  tx: Transaction,
  workspaceId: string,
  { people, unlinked, now }: AddedMatches,
): Promise<void> {
  const db = controlQueriesIn(tx)
  const ids = renderArray([...new Set(unlinked.map(({ meetingId }) => meetingId))])
  // The lock comes first: a statement that waits for the lock sees the participants as they were when it began.
  await sql`select 1 from relata.meetings where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
    order by id for update`.execute(db)
  const rows = people.flatMap(({ person, addresses, companies }) =>
    [person, ...companies].flatMap(({ objectId, recordId }, index) =>
      addresses.map((email_address) => ({ email_address, object_id: objectId, record_id: recordId, index })),
    ),
  )
  await sql`
    with added as (
      insert into relata.meeting_links (workspace_id, meeting_id, object_id, record_id, position, is_given, linked_at,
        linked_by, is_all_day, duration_class, starts_at, ends_at)
      select p.workspace_id, p.meeting_id, r.object_id, r.record_id, ${LATER_POSITION}::int + r.index, false,
        ${timestampFromMicros(now)}::timestamptz, ${SYSTEM_ACTOR}::int, p.is_all_day, p.duration_class, p.starts_at, p.ends_at
      from relata.meeting_participants p join json_to_recordset(${JSON.stringify(rows)}::text::json)
        as r(email_address text, object_id uuid, record_id uuid, index int) on r.email_address = p.email_address
      where p.workspace_id = ${workspaceId}::uuid and p.meeting_id = any(${ids}::uuid[])
      on conflict (workspace_id, meeting_id, record_id) do nothing returning meeting_id
    )
    update relata.meetings set version = version + 1
    where workspace_id = ${workspaceId}::uuid and id in (select meeting_id from added)`.execute(db)
}

/** After the links of the participants that were matched before. */
const LATER_POSITION = 2000
