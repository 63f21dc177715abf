/** An item of the activity, as the components that show items get it. */

import type { ActivityItem } from '../../../../api/records/activity'

export interface ItemProps {
  readonly item: ActivityItem
  /** The slug of the object. */
  readonly slug: string
  readonly recordId: string
}

/** Items have no ids. One actor makes one change of values at a time; everything else names its subject. */
export function itemKey({
  type,
  at,
  actor,
  entry,
  task,
  note,
  comment,
  meeting,
  file,
  email,
  activity,
}: ActivityItem): string {
  const subjects = [
    entry?.entry_id,
    task?.task_id,
    note?.note_id,
    comment?.comment_id,
    meeting?.meeting_id,
    file?.file_id,
    email?.email_id,
    activity?.record_id,
  ]
  return [type, at, actor.type, actor.id, ...subjects].join(' ')
}
