/** An item of the activity, as the components that show items get it. */

import type { ActivityItem } from '../../../../api/records/activity'

export interface ItemProps {
  readonly item: ActivityItem
  /** The slug of the object. */
  readonly slug: string
  readonly recordId: string
}

/** Items have no ids. One actor makes one change of values at a time; everything else names its subject. */
export const itemKey = ({ type, at, actor, entry, task, note, comment }: ActivityItem): string =>
  [type, at, actor.type, actor.id, entry?.entry_id, task?.task_id, note?.note_id, comment?.comment_id].join(' ')
