/** Activities: things that happen, such as phone calls, with attributes and records. */

import type { ActivitiesAnswer, ActivityChange, ActivityInput, ActivityOutput } from '#api/resources/activities/schemas'
import { api } from '../client'

export type Activity = ActivityOutput
export type ActivitySchema = ActivityInput['extends']

const pathOf = (slug: string): string => `/activities/${encodeURIComponent(slug)}`

/** A workspace has fewer than one page. */
export const listActivities = async (signal?: AbortSignal): Promise<Activity[]> =>
  (await api.get<ActivitiesAnswer>('/activities', { query: { limit: 1000 }, signal })).data

export const createActivity = (input: ActivityInput): Promise<unknown> =>
  api.post('/activities', { body: { data: input } })

export const updateActivity = (slug: string, change: ActivityChange): Promise<unknown> =>
  api.patch(pathOf(slug), { body: { data: change } })

/** Deletes a custom activity with its records, also those in the trash. */
export const deleteActivity = (slug: string): Promise<unknown> => api.delete(pathOf(slug))
