/** What the kinds of calendars have in common: removal, sharing and exclusions. */

import { queueMeeting } from '#crm/contacts/job-store'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { addressesOf } from '#crm/meetings/meeting'
import { readMeetings } from '#crm/meetings/store'
import { countMeetingsOf, listMeetingIdsOf } from '#crm/meetings/synced-meetings'
import type { AccountKind, AccountRun } from '#transfer/connected-accounts/account'
import type { Transaction } from '#db/connect'
import {
  type CalendarStore,
  excludeFrom,
  inCalendarTransaction,
  openCalendarStore,
  releaseIn,
  releasing,
} from './calendar-store'

const BATCH_SIZE = 100

/** `forget` prepares to read the whole calendar again, and returns the new state of the synchronisation. */
export const calendarKind = (
  forget: (tx: Transaction, run: AccountRun) => Promise<object>,
): Pick<AccountKind, 'deletePart' | 'applySharing' | 'applyExclusions'> => ({
  async deletePart(run) {
    const store = await openCalendarStore(run)
    const ids = await listMeetingIdsOf(run.appContext.db.sql, run.account, undefined, BATCH_SIZE)
    await releasing(store, (tx) => collect(ids, (id) => releaseIn(tx, store, id, { accountId: run.account.id })))
    return ids.length > 0
  },

  /** Connection strengths follow, and the people of meetings that are seen now. */
  async applySharing(run) {
    const store = await openCalendarStore(run)
    await eachBatch(store, async (tx, ids) => {
      const { model, now } = store.context()
      for (const id of ids) await queueMeeting(tx, model.workspace.id, id, now())
      const meetings = await readMeetings(tx, model.workspace.id, ids)
      await requestRefreshesFor(tx, model, [...new Set(meetings.flatMap(addressesOf))], now())
      return []
    })
  },

  async applyExclusions(run) {
    const store = await openCalendarStore(run)
    await eachBatch(store, (tx, ids) => collect(ids, (id) => excludeFrom(tx, store, id)))
    await inCalendarTransaction(store, async (tx) => {
      const stored = await countMeetingsOf(tx, run.account)
      await run.save(tx, { syncState: await forget(tx, run), progress: { ...run.account.progress, stored } })
    })
  },
})

async function eachBatch(
  store: CalendarStore,
  work: (tx: Transaction, ids: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const { appContext, account, signal } = store.run
  for (let after: string | undefined; ;) {
    signal.throwIfAborted()
    const ids = await listMeetingIdsOf(appContext.db.sql, account, after, BATCH_SIZE)
    after = ids.at(-1)
    if (after === undefined) return
    const batch = ids
    await releasing(store, (tx) => work(tx, batch))
  }
}

/** Works on one after the other, and returns all results. */
async function collect(
  ids: readonly string[],
  work: (id: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const results: string[] = []
  for (const id of ids) results.push(...(await work(id)))
  return results
}
