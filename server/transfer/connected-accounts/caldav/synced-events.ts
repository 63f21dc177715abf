/** The events of a calendar that were read, with their ETags. */

import type { Sql, Transaction } from '#db/connect'
import { anyOf, controlQueriesIn } from '#engine/data-model/kysely-in-transaction'

interface CalendarKey {
  readonly workspaceId: string
  /** The account. */
  readonly id: string
  readonly calendar: number
}

const ofCalendar = (on: Sql | Transaction, { workspaceId, id, calendar }: CalendarKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.synced_events')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', id)
    .where('calendar', '=', calendar)

/** The ETags of all events by key. */
export async function listEtags(on: Sql, calendar: CalendarKey): Promise<Map<string, string>> {
  const rows = await ofCalendar(on, calendar).select(['event_key', 'etag']).execute()
  return new Map(rows.map(({ event_key, etag }) => [event_key, etag]))
}

export async function countEvents(on: Sql, { workspaceId, id }: Omit<CalendarKey, 'calendar'>): Promise<number> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.synced_events')
    .select((each) => each.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function saveEtags(
  tx: Transaction,
  { workspaceId, id, calendar }: CalendarKey,
  etags: ReadonlyMap<string, string>,
): Promise<void> {
  if (etags.size === 0) return
  const rows = [...etags].map(([event_key, etag]) => ({
    workspace_id: workspaceId,
    account_id: id,
    calendar,
    event_key,
    etag,
  }))
  await controlQueriesIn(tx)
    .insertInto('relata.synced_events')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'account_id', 'calendar', 'event_key'])
        .doUpdateSet((each) => ({ etag: each.ref('excluded.etag') })),
    )
    .execute()
}

/** Has all events of the account, or of one calendar, read again. */
export async function clearEtags(
  tx: Transaction,
  { workspaceId, id, calendar }: Omit<CalendarKey, 'calendar'> & { readonly calendar?: number },
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.synced_events')
    .set({ etag: '' })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', id)
    .$if(calendar !== undefined, (query) => query.where('calendar', '=', calendar ?? 0))
    .execute()
}

/** Forgets some events of a calendar, or all. */
export async function deleteEvents(
  tx: Transaction,
  { workspaceId, id, calendar }: CalendarKey,
  keys?: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.synced_events')
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', id)
    .where('calendar', '=', calendar)
    .$if(keys !== undefined, (query) => query.where('event_key', '=', anyOf(keys ?? [], 'text')))
    .execute()
}
