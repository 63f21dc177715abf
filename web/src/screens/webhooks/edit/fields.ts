/**
 * The fields of events that filters can name, and the inputs of their values.
 * See docs/reference/webhooks-and-events.md (Subscription filters).
 */

import type { EventType } from '../../../api/webhooks/webhooks'

/** The input of a value: an object, list, activity, attribute or member of the workspace, or a text field for an id. */
export type FieldInput = 'object' | 'list' | 'activity' | 'attribute' | 'actor-type' | 'member' | 'id'

export interface Field {
  readonly path: string
  readonly label: string
  readonly input: FieldInput
}

const field = (path: string, label: string, input: FieldInput): Field => ({ path, label, input })

const OBJECT = field('id.object_id', 'Object', 'object')
const RECORD = field('id.record_id', 'Record', 'id')
const ATTRIBUTE = field('id.attribute_id', 'Attribute', 'attribute')
const LIST = field('id.list_id', 'List', 'list')
const ENTRY = field('id.entry_id', 'Entry', 'id')
const ACTIVITY = field('id.activity_id', 'Activity', 'activity')
const NOTE = field('id.note_id', 'Note', 'id')
const PARENT = [field('parent_object_id', 'Object', 'object'), field('parent_record_id', 'Record', 'id')]
const ON_RECORD = [field('object_id', 'Object', 'object'), field('record_id', 'Record', 'id')]
const ACTOR = [field('actor.type', 'Done by', 'actor-type'), field('actor.id', 'Done by (member)', 'member')]

const COMMENT = [
  ...ON_RECORD,
  field('list_id', 'List', 'list'),
  field('entry_id', 'Entry', 'id'),
  field('thread_id', 'Thread', 'id'),
  field('id.comment_id', 'Comment', 'id'),
]
const TASK = [field('id.task_id', 'Task', 'id')]

const OWN: Readonly<Record<EventType, readonly Field[]>> = {
  'record.created': [OBJECT, RECORD],
  'record.updated': [OBJECT, ATTRIBUTE, RECORD],
  'record.deleted': [OBJECT, RECORD],
  'record.merged': [
    OBJECT,
    RECORD,
    field('duplicate_object_id', 'Object of the original', 'object'),
    field('duplicate_record_id', 'Original record', 'id'),
  ],
  'list-entry.created': [LIST, ...PARENT, ENTRY],
  'list-entry.updated': [LIST, ATTRIBUTE, ...PARENT, ENTRY],
  'list-entry.deleted': [LIST, ...PARENT, ENTRY],
  'list.created': [LIST],
  'list.updated': [LIST],
  'list.deleted': [LIST],
  'list-attribute.created': [LIST, ATTRIBUTE],
  'list-attribute.updated': [LIST, ATTRIBUTE],
  'object-attribute.created': [OBJECT, ATTRIBUTE],
  'object-attribute.updated': [OBJECT, ATTRIBUTE],
  'activity.created': [ACTIVITY],
  'activity.updated': [ACTIVITY],
  'activity.deleted': [ACTIVITY],
  'activity-attribute.created': [ACTIVITY, ATTRIBUTE],
  'activity-attribute.updated': [ACTIVITY, ATTRIBUTE],
  'activity-record.created': [ACTIVITY, RECORD],
  'activity-record.deleted': [ACTIVITY, RECORD],
  'note.created': [...PARENT, NOTE],
  'note.updated': [...PARENT, NOTE],
  'note.deleted': [...PARENT, NOTE],
  'note-content.updated': [...PARENT, NOTE],
  'comment.created': COMMENT,
  'comment.deleted': COMMENT,
  'comment.resolved': COMMENT,
  'comment.unresolved': COMMENT,
  'task.created': TASK,
  'task.updated': TASK,
  'task.deleted': TASK,
  'workspace-member.created': [field('id.workspace_member_id', 'Member', 'member')],
  'call-recording.created': [field('id.meeting_id', 'Meeting', 'id'), field('id.call_recording_id', 'Recording', 'id')],
}

/** The fields of an event type, the most useful first. */
export const fieldsOf = (type: EventType): readonly Field[] => [...OWN[type], ...ACTOR]

/**
 * Whether events of this type can include values. See docs/reference/webhooks-and-events.md (Values in events).
 */
export const changesValues = (type: EventType): boolean => type === 'record.updated' || type === 'list-entry.updated'

export const ACTOR_TYPES = [
  { value: 'workspace-member', label: 'Member' },
  { value: 'api-token', label: 'API key' },
  { value: 'app', label: 'App' },
  { value: 'system', label: 'System' },
] as const
