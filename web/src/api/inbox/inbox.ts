/** The inbox of the signed-in member. */

import type { Actor } from '../records/entities'
import { workspaceApi } from '../client'

export interface InboxTask {
  readonly task_id: string
  readonly excerpt: string
  readonly deadline_at: string | null
  readonly is_completed: boolean
}

interface InboxComment {
  readonly comment_id: string
  readonly thread_id: string
  readonly excerpt: string
  readonly record: { readonly object_id: string; readonly record_id: string }
  readonly entry: { readonly list_id: string; readonly entry_id: string } | null
  readonly resolved_at: string | null
}

interface NotificationBase {
  readonly id: string
  readonly actor: Actor
  readonly created_at: string
  readonly read_at: string | null
}

export type Notification = NotificationBase &
  (
    | { readonly kind: 'mention' | 'reply'; readonly comment: InboxComment; readonly task: null }
    | { readonly kind: 'task-assigned'; readonly comment: null; readonly task: InboxTask }
  )

export interface InboxPage {
  readonly data: readonly Notification[]
  /** At most 1,000. */
  readonly unread_count: number
  readonly tasks_due_today: readonly InboxTask[]
  readonly pagination: { readonly next_cursor: string | null }
}

interface InboxQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly unread?: boolean
}

export const readInbox = (query: InboxQuery, signal?: AbortSignal): Promise<InboxPage> => {
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return workspaceApi.get<InboxPage>('/inbox', { query: { ...query, time_zone }, signal })
}

interface UnreadAnswer {
  readonly data: { readonly unread_count: number }
}

/** Returns the number of unread notifications. */
export const markRead = async (id: string): Promise<number> =>
  (await workspaceApi.post<UnreadAnswer>(`/inbox/${id}/read`)).data.unread_count

/** Marks the notifications up to this one as read, and returns the number of unread ones. */
export const markAllRead = async (upTo: string): Promise<number> =>
  (await workspaceApi.post<UnreadAnswer>('/inbox/read', { body: { up_to: upTo } })).data.unread_count

export interface InboxSettings {
  readonly email_digest: boolean
  /** Whether the service has a mail server. */
  readonly is_email_delivered: boolean
}

export const getInboxSettings = async (signal?: AbortSignal): Promise<InboxSettings> =>
  (await workspaceApi.get<{ data: InboxSettings }>('/inbox/settings', { signal })).data

export const setEmailDigest = (email_digest: boolean): Promise<unknown> =>
  workspaceApi.patch('/inbox/settings', { body: { email_digest } })
