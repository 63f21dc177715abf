/**
 * Everything that webhooks can tell, in words and in the order people look for it.
 * See docs/reference/webhooks-and-events.md (Event types).
 */

import type { EventType } from '../../api/webhooks/webhooks'

interface EventGroup {
  readonly label: string
  /** With what the name does not say. */
  readonly kinds: readonly { readonly type: EventType; readonly hint?: string }[]
}

export const EVENT_TYPE_GROUPS: readonly EventGroup[] = [
  {
    label: 'Records',
    kinds: [
      { type: 'record.created' },
      { type: 'record.updated', hint: 'one event per attribute' },
      { type: 'record.merged' },
      { type: 'record.deleted' },
    ],
  },
  {
    label: 'List entries',
    kinds: [
      { type: 'list-entry.created', hint: 'a record was added' },
      { type: 'list-entry.updated', hint: 'one event per attribute' },
      { type: 'list-entry.deleted', hint: 'a record was removed' },
    ],
  },
  {
    label: 'Lists',
    kinds: [{ type: 'list.created' }, { type: 'list.updated' }, { type: 'list.deleted' }],
  },
  {
    label: 'Attributes',
    kinds: [
      { type: 'object-attribute.created' },
      { type: 'object-attribute.updated', hint: 'including options and statuses' },
      { type: 'list-attribute.created' },
      { type: 'list-attribute.updated', hint: 'including options and statuses' },
    ],
  },
  {
    label: 'Notes',
    kinds: [
      { type: 'note.created' },
      { type: 'note.updated', hint: 'title changed' },
      { type: 'note-content.updated', hint: 'content changed' },
      { type: 'note.deleted' },
    ],
  },
  {
    label: 'Tasks',
    kinds: [{ type: 'task.created' }, { type: 'task.updated' }, { type: 'task.deleted' }],
  },
  {
    label: 'Comments',
    kinds: [
      { type: 'comment.created' },
      { type: 'comment.resolved' },
      { type: 'comment.unresolved', hint: 'reopened' },
      { type: 'comment.deleted' },
    ],
  },
  {
    label: 'People and calls',
    kinds: [
      { type: 'workspace-member.created', hint: 'member joined' },
      { type: 'call-recording.created', hint: 'recording available' },
    ],
  },
]

export const EVENT_TYPES: readonly EventType[] = EVENT_TYPE_GROUPS.flatMap(({ kinds }) => kinds.map(({ type }) => type))

export const isEventType = (text: string | null): text is EventType => EVENT_TYPES.some((type) => type === text)
