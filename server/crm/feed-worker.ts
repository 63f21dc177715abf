/** The worker that reads change events for contacts, interactions, look-ups and rollups. A further reader of the feed is a line in `readFeeds`. */

import { periodicWorker } from '#base/timing/run-periodically'
import type { AppContext } from '#context'
import { queueChangedPeople } from '#crm/contacts/job-store'
import { type FeedOptions, type FeedReader, followFeeds } from './follow-feed'
import { requestAffected } from './interactions/request-refreshes'
import { requestChanged } from './request-rollups'

/** Reads what is new in the feeds of all workspaces. Returns whether look-ups and rollups were requested. */
export async function readFeeds(options: FeedOptions, signal?: AbortSignal): Promise<boolean> {
  let isRequested = false
  const requestRollups: FeedReader = async (tx, events, context) => {
    if (await requestChanged(tx, events, context)) isRequested = true
  }
  await followFeeds(options, [queueChangedPeople, requestAffected, requestRollups], signal)
  return isRequested
}

export const feedWorker = periodicWorker<FeedOptions & Pick<AppContext, 'workers'>>({
  name: 'feed readers',
  does: 'reads change events for contacts, interactions, look-ups and rollups',
  everyMs: 1_000,
  work: async (context, stopping) => {
    if (await readFeeds(context, stopping)) context.workers?.wake('rollups')
  },
})
