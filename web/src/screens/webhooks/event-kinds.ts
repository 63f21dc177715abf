/** Everything that webhooks can tell, in words and in the order people look for it. Spec: webhooks 4. */

import type { EventType } from '../../api/webhooks'

interface EventGroup {
  readonly label: string
  readonly kinds: readonly { readonly type: EventType; readonly label: string }[]
}

export const EVENT_GROUPS: readonly EventGroup[] = [
  {
    label: 'Records',
    kinds: [
      { type: 'record.created', label: 'created' },
      { type: 'record.updated', label: 'changed, once for each attribute' },
      { type: 'record.merged', label: 'merged' },
      { type: 'record.deleted', label: 'deleted' },
    ],
  },
  {
    label: 'List entries',
    kinds: [
      { type: 'list-entry.created', label: 'added to a list' },
      { type: 'list-entry.updated', label: 'changed, once for each attribute' },
      { type: 'list-entry.deleted', label: 'removed from a list' },
    ],
  },
  {
    label: 'Lists',
    kinds: [
      { type: 'list.created', label: 'created' },
      { type: 'list.updated', label: 'changed' },
      { type: 'list.deleted', label: 'deleted' },
    ],
  },
  {
    label: 'Attributes',
    kinds: [
      { type: 'object-attribute.created', label: 'of an object, created' },
      { type: 'object-attribute.updated', label: 'of an object, changed' },
      { type: 'list-attribute.created', label: 'of a list, created' },
      { type: 'list-attribute.updated', label: 'of a list, changed' },
    ],
  },
  {
    label: 'Notes',
    kinds: [
      { type: 'note.created', label: 'created' },
      { type: 'note.updated', label: 'given another title' },
      { type: 'note-content.updated', label: 'written on' },
      { type: 'note.deleted', label: 'deleted' },
    ],
  },
  {
    label: 'Tasks',
    kinds: [
      { type: 'task.created', label: 'created' },
      { type: 'task.updated', label: 'changed' },
      { type: 'task.deleted', label: 'deleted' },
    ],
  },
  {
    label: 'Comments',
    kinds: [
      { type: 'comment.created', label: 'written' },
      { type: 'comment.resolved', label: 'resolved' },
      { type: 'comment.unresolved', label: 'opened again' },
      { type: 'comment.deleted', label: 'deleted' },
    ],
  },
  {
    label: 'People and calls',
    kinds: [
      { type: 'workspace-member.created', label: 'a member joined' },
      { type: 'call-recording.created', label: 'a call was recorded' },
    ],
  },
]

export const EVENT_TYPES: readonly EventType[] = EVENT_GROUPS.flatMap(({ kinds }) => kinds.map(({ type }) => type))

export const isEventType = (text: string | null): text is EventType => EVENT_TYPES.some((type) => type === text)
