/** The inbox of the signed-in member. */

import type { InboxPage, InboxSettings, InboxTask, Notification, UnreadAnswer } from '#api/console/inbox/schemas'
import { TIME_ZONE } from '../../values/local-time'
import { workspaceApi } from '../client'

export type { InboxPage, InboxSettings, InboxTask, Notification }

interface InboxQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly unread?: boolean
}

export const readInbox = (query: InboxQuery, signal?: AbortSignal): Promise<InboxPage> => {
  return workspaceApi.get<InboxPage>('/inbox', { query: { ...query, time_zone: TIME_ZONE }, signal })
}

/** Returns the number of unread notifications. */
export const markRead = async (id: string): Promise<number> =>
  (await workspaceApi.post<UnreadAnswer>(`/inbox/${id}/read`)).data.unread_count

/** Marks the notifications up to this one as read, and returns the number of unread ones. */
export const markAllRead = async (upTo: string): Promise<number> =>
  (await workspaceApi.post<UnreadAnswer>('/inbox/read', { body: { up_to: upTo } })).data.unread_count

export const getInboxSettings = async (signal?: AbortSignal): Promise<InboxSettings> =>
  (await workspaceApi.get<{ data: InboxSettings }>('/inbox/settings', { signal })).data

export const setEmailDigest = (email_digest: boolean): Promise<unknown> =>
  workspaceApi.patch('/inbox/settings', { body: { email_digest } })
