/** Activities: things that happen, such as phone calls, with attributes and records. */

import type {
  ActivitiesAnswer,
  ActivityChange,
  ActivityDeletionCounts,
  ActivityInput,
  ActivityOutput,
  DeletedActivityOutput,
} from '#api/resources/activities/schemas'
import { api } from '../client'
import { withShownNouns } from './standard-names'

export type Activity = ActivityOutput
export type ActivitySchema = ActivityInput['extends']

const pathOf = (slug: string): string => `/activities/${encodeURIComponent(slug)}`

/** With their names as shown. A workspace has fewer than one page. */
export const listActivities = async (signal?: AbortSignal): Promise<Activity[]> => {
  const { data } = await api.get<ActivitiesAnswer>('/activities', { query: { limit: 1000 }, signal })
  return data.map((activity) => (activity.is_system_activity ? withShownNouns(activity) : activity))
}

export const createActivity = (input: ActivityInput): Promise<unknown> =>
  api.post('/activities', { body: { data: input } })

export const updateActivity = (slug: string, change: ActivityChange): Promise<unknown> =>
  api.patch(pathOf(slug), { body: { data: change } })

/** Deletes a custom activity with its records. It can be restored for some days. */
export const deleteActivity = (slug: string): Promise<unknown> => api.delete(pathOf(slug))

/** What a deletion would delete. */
export const countActivityDeletion = async (slug: string): Promise<ActivityDeletionCounts> =>
  (await api.delete<{ data: ActivityDeletionCounts }>(pathOf(slug), { query: { dry_run: true } })).data

export const listDeletedActivities = async (signal?: AbortSignal): Promise<DeletedActivityOutput[]> =>
  (await api.get<{ data: DeletedActivityOutput[] }>('/trash/activities', { signal })).data

/** With other names, where its slug is taken meanwhile. */
export const restoreActivity = async (id: string, names?: ActivityChange): Promise<Activity> =>
  (
    await api.post<{ data: Activity }>(`/activities/${id}/restore`, {
      body: names === undefined ? {} : { data: names },
    })
  ).data

/** Of a deleted activity. */
export const deleteActivityPermanently = (id: string): Promise<unknown> =>
  api.delete(`/activities/${id}`, { query: { permanent: true } })
