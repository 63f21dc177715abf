/** What calendar files said about meetings when they were last imported. See docs/decisions/mail-and-calendar-files.md. */

import { sql } from 'kysely'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn, equal, hasRow, onEqual } from '#engine/data-model/kysely-in-transaction'
import type { Millis } from '#crm/meetings/meeting'
import { millisOf, timestampOf } from '#crm/meetings/store'
import type { SyncedEvent } from '#crm/meetings/synced-meetings'
import type { EventIdentity } from './read-meetings'
import type { Micros } from '#base/timing/clock'

/** What is stored of an imported event. */
export interface ImportedEvent extends StoredRevision {
  readonly contentHash: string
}

/** A meeting of an event. */
export interface StoredMeeting {
  readonly meetingId: string
  readonly externalKey: string | null
  /** Null for another event than an occurrence of a recurring one. */
  readonly occursAt: Millis | null
  /** Undefined for a meeting that was created in another way than by an import. */
  readonly imported: ImportedEvent | undefined
  /** The events of connected calendars that have it. */
  readonly syncedEvents: readonly SyncedEvent[]
}

/** Of a UID with more meetings, an import of its event compares only so many. */
const MAX_OF_UID = 10_000

/** Finds the meetings with these external keys, and those that were imported with this UID, if one is given. */
export async function findStoredMeetings(
  db: Sql | Transaction,
  workspaceId: string,
  { externalKeys, uidHash }: { readonly externalKeys: readonly string[]; readonly uidHash: string | undefined },
): Promise<StoredMeeting[]> {
  const rows = await controlQueriesIn(db)
    .selectFrom('relata.meetings as m')
    .leftJoin('relata.imported_meetings as i', onEqual({ 'i.workspace_id': 'm.workspace_id', 'i.meeting_id': 'm.id' }))
    .select(['m.id', 'm.external_key', 'i.occurs_at', 'i.is_separate', 'i.sequence', 'i.changed_at', 'i.content_hash'])
    .select(
      sql<string>`coalesce((select json_agg(json_build_object('accountId', s.account_id, 'calendar', s.calendar, 'eventKey', s.event_key))
        from relata.synced_meetings s where s.workspace_id = m.workspace_id and s.meeting_id = m.id), '[]')`.as(
        'synced',
      ),
    )
    .where('m.workspace_id', '=', workspaceId)
    .where(
      sql<boolean>`m.id in (
        select id from relata.meetings where workspace_id = ${workspaceId} and external_key = any(${renderArray(externalKeys)}::text[])
        union all
        (select meeting_id from relata.imported_meetings where workspace_id = ${workspaceId} and uid_hash = ${uidHash ?? null}
          limit ${MAX_OF_UID}))`,
    )
    .execute()
  return rows.map(({ id, external_key, occurs_at, synced, ...row }) => ({
    meetingId: id,
    externalKey: external_key,
    occursAt: occurs_at === null ? null : millisOf(occurs_at),
    imported: importedOf(row),
    syncedEvents: JSON.parse(synced) as SyncedEvent[], // the statement makes this form
  }))
}

interface ImportedRow {
  readonly is_separate: boolean | null
  readonly sequence: number | null
  readonly changed_at: string | null
  readonly content_hash: string | null
}

/** All members are null for a meeting without a row. */
function importedOf({ is_separate, sequence, changed_at, content_hash }: ImportedRow): ImportedEvent | undefined {
  if (is_separate === null || sequence === null || changed_at === null || content_hash === null) return undefined
  return { isSeparate: is_separate, sequence, changedAt: millisOf(changed_at), contentHash: content_hash }
}

export async function findImportedEvent(
  tx: Transaction,
  workspaceId: string,
  meetingId: string,
): Promise<ImportedEvent | undefined> {
  const row = await controlQueriesIn(tx)
    .selectFrom('relata.imported_meetings')
    .select(['is_separate', 'sequence', 'changed_at', 'content_hash'])
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId }))
    .executeTakeFirst()
  return row && importedOf(row)
}

interface EventOfMeeting extends ImportedEvent {
  readonly meetingId: string
  readonly uidHash: string
  /** As in the file; undefined for another event than an occurrence of a recurring one. */
  readonly occursAt: string | undefined
}

/** Stores what the file says about a meeting. */
export async function saveImportedEvent(tx: Transaction, workspaceId: string, event: EventOfMeeting): Promise<void> {
  const row = {
    uid_hash: event.uidHash,
    occurs_at: event.occursAt ?? null,
    is_separate: event.isSeparate,
    sequence: event.sequence,
    changed_at: timestampOf(event.changedAt),
    content_hash: event.contentHash,
  }
  await controlQueriesIn(tx)
    .insertInto('relata.imported_meetings')
    .values({ workspace_id: workspaceId, meeting_id: event.meetingId, ...row })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'meeting_id']).doUpdateSet(row))
    .execute()
}

/** Notes that meetings are as a newer form of their event has them. */
export async function raiseRevisions(
  db: Sql,
  workspaceId: string,
  meetingIds: readonly string[],
  { isSeparate, sequence, changedAt }: StoredRevision,
): Promise<void> {
  await controlQueriesIn(db)
    .updateTable('relata.imported_meetings')
    .set({ is_separate: isSeparate, sequence, changed_at: timestampOf(changedAt) })
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`meeting_id = any(${renderArray(meetingIds)}::uuid[])`)
    .execute()
}

export function hasRecordings(tx: Transaction, workspaceId: string, meetingId: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.call_recordings')
      .select('id')
      .where(equal({ workspace_id: workspaceId, meeting_id: meetingId })),
  )
}

/** Compares the forms of an event in calendar files with the form that was last imported. */
export interface StoredRevision {
  /** Whether it is an event of its own (`RECURRENCE-ID`) for one occurrence. */
  readonly isSeparate: boolean
  readonly sequence: number
  readonly changedAt: Millis
}

/** An event without a time of its change is as new as its import, and no event is newer. */
export function revisionAt({ replaces, revision }: EventIdentity, now: Micros): StoredRevision {
  const { sequence, changedAt } = revision
  const importedAt = Math.floor(now / 1000)
  return { isSeparate: replaces !== undefined, sequence, changedAt: Math.min(changedAt ?? importedAt, importedAt) }
}

/** A separate event of an occurrence counts its own sequence, so between it and the recurring event only the times decide. */
export function isNewer(revision: StoredRevision, than: StoredRevision): boolean {
  const isComparable = revision.isSeparate === than.isSeparate
  if (isComparable && revision.sequence !== than.sequence) return revision.sequence > than.sequence
  return revision.changedAt > than.changedAt
}
