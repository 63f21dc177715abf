/** Where notifications lead. */

import type { InboxTask, Notification } from '../../api/inbox/inbox'

interface Model {
  readonly objects: readonly { readonly id: { readonly object_id: string }; readonly api_slug: string | null }[]
  readonly lists: readonly { readonly id: { readonly list_id: string }; readonly api_slug: string }[]
}

export const linkOfTask = ({ task_id }: InboxTask): string => `/tasks?task=${task_id}`

/** Undefined while the object or the list is unknown. */
export function linkOf({ comment, task }: Notification, { objects, lists }: Model): string | undefined {
  if (task !== null) return linkOfTask(task)
  const { entry, record, comment_id } = comment
  if (entry !== null) {
    const slug = lists.find(({ id }) => id.list_id === entry.list_id)?.api_slug
    return slug && `/lists/${slug}?comments=${entry.entry_id}&comment=${comment_id}`
  }
  const slug = objects.find(({ id }) => id.object_id === record.object_id)?.api_slug
  return slug ? `/objects/${slug}/${record.record_id}?tab=comments&comment=${comment_id}` : undefined
}
