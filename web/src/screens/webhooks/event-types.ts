/**
 * All event types in groups, in display order.
 * See docs/reference/webhooks-and-events.md (Event types).
 */

import type { WebhookEventType as EventType } from '#vocabulary/event-types'

interface EventGroup {
  readonly label: string
  /** The types, with a hint where the name does not explain them. */
  readonly types: readonly { readonly type: EventType; readonly hint?: string }[]
}

export const EVENT_TYPE_GROUPS: readonly EventGroup[] = [
  {
    label: 'Records',
    types: [
      { type: 'record.created' },
      { type: 'record.updated', hint: 'one event per attribute' },
      { type: 'record.merged' },
      { type: 'record.deleted' },
    ],
  },
  {
    label: 'List entries',
    types: [
      { type: 'list-entry.created', hint: 'a record was added' },
      { type: 'list-entry.updated', hint: 'one event per attribute' },
      { type: 'list-entry.deleted', hint: 'a record was removed' },
    ],
  },
  {
    label: 'Lists',
    types: [{ type: 'list.created' }, { type: 'list.updated' }, { type: 'list.deleted' }],
  },
  {
    label: 'Activities',
    types: [
      { type: 'activity-record.created', hint: 'a call was logged' },
      { type: 'activity-record.deleted' },
      { type: 'activity.created' },
      { type: 'activity.updated' },
      { type: 'activity.deleted' },
    ],
  },
  {
    label: 'Attributes',
    types: [
      { type: 'object-attribute.created' },
      { type: 'object-attribute.updated', hint: 'including options and statuses' },
      { type: 'list-attribute.created' },
      { type: 'list-attribute.updated', hint: 'including options and statuses' },
      { type: 'activity-attribute.created' },
      { type: 'activity-attribute.updated', hint: 'including options and statuses' },
    ],
  },
  {
    label: 'Notes',
    types: [
      { type: 'note.created' },
      { type: 'note.updated', hint: 'title changed' },
      { type: 'note-content.updated', hint: 'content changed' },
      { type: 'note.deleted' },
    ],
  },
  {
    label: 'Tasks',
    types: [{ type: 'task.created' }, { type: 'task.updated' }, { type: 'task.deleted' }],
  },
  {
    label: 'Comments',
    types: [
      { type: 'comment.created' },
      { type: 'comment.resolved' },
      { type: 'comment.unresolved', hint: 'reopened' },
      { type: 'comment.deleted' },
    ],
  },
  {
    label: 'People and calls',
    types: [
      { type: 'workspace-member.created', hint: 'member joined' },
      { type: 'call-recording.created', hint: 'recording available' },
    ],
  },
]
