/** Which connected calendars have a meeting. */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Millis } from './meeting'
import { millisOf } from './store'

/** An event of a connected calendar. */
export interface SyncedEvent {
  readonly accountId: string
  /** The number of the calendar in the account. */
  readonly calendar: number
  /** What names the event in the calendar. */
  readonly eventKey: string
}

export const isSameEvent = (a: SyncedEvent, b: SyncedEvent): boolean =>
  a.accountId === b.accountId && a.calendar === b.calendar && a.eventKey === b.eventKey

export async function saveSyncedMeeting(
  tx: Transaction,
  workspaceId: string,
  meetingId: string,
  { accountId, calendar, eventKey }: SyncedEvent,
): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.synced_meetings')
    .values({
      workspace_id: workspaceId,
      meeting_id: meetingId,
      account_id: accountId,
      calendar,
      event_key: eventKey,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The accounts whose calendars have the meeting, each once. */
export async function listAccountsOf(tx: Transaction, workspaceId: string, meetingId: string): Promise<string[]> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.synced_meetings')
    .select('account_id')
    .distinct()
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId }))
    .execute()
  return rows.map(({ account_id }) => account_id)
}

/** Forgets that an event of the account, or the whole account, has the meeting. */
export async function deleteSyncedMeeting(
  tx: Transaction,
  workspaceId: string,
  meetingId: string,
  { accountId, calendar, eventKey }: Pick<SyncedEvent, 'accountId'> & Partial<SyncedEvent>,
): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.synced_meetings')
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId, account_id: accountId }))
    .$if(calendar !== undefined, (query) => query.where('calendar', '=', calendar ?? 0))
    .$if(eventKey !== undefined, (query) => query.where('event_key', '=', eventKey ?? ''))
    .execute()
}

/** Makes the meeting one that belongs to no connected calendar. Everybody who reads meetings sees it. */
export async function deleteAllSyncedMeetings(tx: Transaction, workspaceId: string, meetingId: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.synced_meetings')
    .where(equal({ workspace_id: workspaceId, meeting_id: meetingId }))
    .execute()
}

/** A meeting of an event, with the original start if it is an occurrence of a recurring event. */
export interface SyncedMeeting extends Omit<SyncedEvent, 'accountId'> {
  readonly meetingId: string
  readonly occursAt: Millis | null
}

interface AccountKey {
  readonly workspaceId: string
  readonly id: string
}

/** The meetings of some events of a calendar. */
export async function listMeetingsOfEvents(
  on: Sql | Transaction,
  { workspaceId, id }: AccountKey,
  calendar: number,
  eventKeys: readonly string[],
): Promise<SyncedMeeting[]> {
  if (eventKeys.length === 0) return []
  const rows = await syncedMeetings(on, { workspaceId, id })
    .where(equal({ 's.calendar': calendar, 's.event_key': anyOf(eventKeys, 'text') }))
    .execute()
  return rows.map(meetingOf)
}

/** The next meetings of a calendar, in the order of events and meetings. */
export async function listMeetingsOfCalendar(
  on: Sql | Transaction,
  account: AccountKey,
  calendar: number,
  {
    after,
    limit,
  }: { readonly after: Pick<SyncedMeeting, 'eventKey' | 'meetingId'> | undefined; readonly limit: number },
): Promise<SyncedMeeting[]> {
  const rows = await syncedMeetings(on, account)
    .where('s.calendar', '=', calendar)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(s.event_key, s.meeting_id) > (${after?.eventKey}, ${after?.meetingId}::uuid)`),
    )
    .orderBy('s.event_key')
    .orderBy('s.meeting_id')
    .limit(limit)
    .execute()
  return rows.map(meetingOf)
}

const syncedMeetings = (on: Sql | Transaction, { workspaceId, id }: AccountKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.synced_meetings as s')
    .leftJoin('relata.imported_meetings as i', (join) =>
      join.onRef('i.workspace_id', '=', 's.workspace_id').onRef('i.meeting_id', '=', 's.meeting_id'),
    )
    .select(['s.calendar', 's.event_key', 's.meeting_id', 'i.occurs_at'])
    .where(equal({ 's.workspace_id': workspaceId, 's.account_id': id }))

const meetingOf = (row: {
  calendar: number
  event_key: string
  meeting_id: string
  occurs_at: string | null
}): SyncedMeeting => ({
  calendar: row.calendar,
  eventKey: row.event_key,
  meetingId: row.meeting_id,
  occursAt: row.occurs_at === null ? null : millisOf(row.occurs_at),
})

/** The next meetings of all calendars of the account, each once, in the order of their ids. */
export async function listMeetingIdsOf(
  on: Sql | Transaction,
  { workspaceId, id }: AccountKey,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.synced_meetings')
    .select('meeting_id')
    .distinct()
    .where(equal({ workspace_id: workspaceId, account_id: id }))
    .$if(after !== undefined, (query) => query.where('meeting_id', '>', after ?? ''))
    .orderBy('meeting_id')
    .limit(limit)
    .execute()
  return rows.map(({ meeting_id }) => meeting_id)
}

export async function countMeetingsOf(on: Sql | Transaction, { workspaceId, id }: AccountKey): Promise<number> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.synced_meetings')
    .select((each) => each.fn.count<string>('meeting_id').distinct().as('count'))
    .where(equal({ workspace_id: workspaceId, account_id: id }))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
