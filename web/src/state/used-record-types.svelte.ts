/** Which activities have records. The navigation shows only these. */

import type { Activity } from '../api/data-model/activities'
import { queryEntities } from '../api/records/entities'
import { changeEvents } from './events/change-events'

/** The ids of the activities. */
let used = $state.raw<ReadonlySet<string>>(new Set())

const add = (activityId: string): void => {
  used = new Set([...used, activityId])
}

export const isUsed = ({ id }: Activity): boolean => used.has(id.activity_id)

/** Finds the used ones of these activities, now and after events. Returns the function that ends it; for use in an effect. */
export function followUsedActivities(activities: readonly Activity[]): () => void {
  const running = new AbortController()
  for (const activity of activities) if (!isUsed(activity)) void find(activity, running.signal)
  const stop = changeEvents.observe({
    onevent({ event_type, id }) {
      if (event_type === 'activity-record.created' && id.activity_id !== undefined) add(id.activity_id)
    },
    onmissed: () => {},
  })
  return () => {
    stop()
    running.abort()
  }
}

/** An activity whose records cannot be read is not shown. */
async function find({ api_slug: slug, id }: Activity, signal: AbortSignal): Promise<void> {
  const first = queryEntities({ kind: 'activities', slug }, { fields: [], limit: 1 }, signal)
  const { entities } = await first.catch(() => ({ entities: [] }))
  if (entities.length > 0) add(id.activity_id)
}
