/** Activities: things that happen, such as phone calls, with attributes and records. */

import type { ActivitiesAnswer, ActivityOutput } from '#api/resources/activities/schemas'
import { api } from '../client'

export type Activity = ActivityOutput

/** A workspace has fewer than one page. */
export const listActivities = async (signal?: AbortSignal): Promise<Activity[]> =>
  (await api.get<ActivitiesAnswer>('/activities', { query: { limit: 1000 }, signal })).data
