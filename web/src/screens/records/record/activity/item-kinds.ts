/** The kinds of items between which the activity of a record can be filtered, and which component shows an item. */

import type { Component } from 'svelte'
import type { ActivityItemType } from '../../../../api/records/activity'
import type { ItemProps } from './item'
import ActivityRecordItem from './items/ActivityRecordItem.svelte'
import CommentItem from './items/CommentItem.svelte'
import EmailItem from './items/EmailItem.svelte'
import EntryItem from './items/EntryItem.svelte'
import MeetingItem from './items/MeetingItem.svelte'
import FileItem from './items/FileItem.svelte'
import NoteItem from './items/NoteItem.svelte'
import RecordItem from './items/RecordItem.svelte'
import TaskItem from './items/TaskItem.svelte'
import ValuesItem from './items/ValuesItem.svelte'

export interface ItemKind {
  /** As `?kind=` names it. */
  readonly id: string
  readonly label: string
  /** In place of an empty list. */
  readonly emptyTitle: string
  readonly types: readonly ActivityItemType[]
}

export const ALL: ItemKind = { id: 'all', label: 'All activity', emptyTitle: 'No activity yet', types: [] }

export const ITEM_KINDS: readonly ItemKind[] = [
  ALL,
  { id: 'values', label: 'Value changes', emptyTitle: 'No changed values yet', types: ['values.changed'] },
  {
    id: 'lists',
    label: 'Lists',
    emptyTitle: 'Not added to any lists yet',
    types: ['entry.added', 'entry.moved', 'entry.removed'],
  },
  { id: 'notes', label: 'Notes', emptyTitle: 'No notes yet', types: ['note.created'] },
  { id: 'tasks', label: 'Tasks', emptyTitle: 'No tasks yet', types: ['task.linked', 'task.completed'] },
  { id: 'meetings', label: 'Meetings', emptyTitle: 'No meetings yet', types: ['meeting.linked'] },
  {
    id: 'activities',
    label: 'Calls and activities',
    emptyTitle: 'No calls or activities yet',
    types: ['activity.added', 'activity.changed'],
  },
  { id: 'emails', label: 'Emails', emptyTitle: 'No emails yet', types: ['email.sent'] },
  { id: 'files', label: 'Files', emptyTitle: 'No files yet', types: ['file.added'] },
  { id: 'comments', label: 'Comments', emptyTitle: 'No comments yet', types: ['comment.created'] },
]

export const findKind = (id: string | null): ItemKind => ITEM_KINDS.find((kind) => kind.id === id) ?? ALL

export const ITEM_COMPONENTS: Readonly<Record<ActivityItemType, Component<ItemProps>>> = {
  'record.created': RecordItem,
  'record.merged': RecordItem,
  'values.changed': ValuesItem,
  'entry.added': EntryItem,
  'entry.moved': EntryItem,
  'entry.removed': EntryItem,
  'note.created': NoteItem,
  'task.linked': TaskItem,
  'task.completed': TaskItem,
  'meeting.linked': MeetingItem,
  'email.sent': EmailItem,
  'comment.created': CommentItem,
  'file.added': FileItem,
  'activity.added': ActivityRecordItem,
  'activity.changed': ActivityRecordItem,
}
