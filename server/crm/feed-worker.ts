/** The worker that reads change events for contacts and interactions. A further reader of the feed is a line in `READERS`. */

import { periodicWorker } from '#base/timing/run-periodically'
import { queueChangedPeople } from '#crm/contacts/job-store'
import { type FeedOptions, type FeedReader, followFeeds } from './follow-feed'
import { requestAffected } from './interactions/request-affected'

const READERS: readonly FeedReader[] = [queueChangedPeople, requestAffected]

/** Reads what is new in the feeds of all workspaces. */
export const readFeeds = (options: FeedOptions, signal?: AbortSignal): Promise<void> =>
  followFeeds(options, READERS, signal)

export const feedWorker = periodicWorker<FeedOptions>({
  name: 'feed readers',
  does: 'reads change events for contacts and interactions',
  everyMs: 1_000,
  work: readFeeds,
})
