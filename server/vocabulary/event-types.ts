/** All event types, and the members of their events. See docs/reference/webhooks-and-events.md (Event types). */

/** For each event type: the members of `id` beside `workspace_id`, and the members of the event beside `id`. */
export const EVENT_KINDS = {
  'record.created': { id: ['object_id', 'record_id'], members: [] },
  'record.updated': { id: ['object_id', 'record_id', 'attribute_id'], members: [] },
  'record.deleted': { id: ['object_id', 'record_id'], members: [] },
  'record.merged': { id: ['object_id', 'record_id'], members: ['duplicate_object_id', 'duplicate_record_id'] },
  'list-entry.created': { id: ['list_id', 'entry_id'], members: ['parent_object_id', 'parent_record_id'] },
  'list-entry.updated': {
    id: ['list_id', 'entry_id', 'attribute_id'],
    members: ['parent_object_id', 'parent_record_id'],
  },
  'list-entry.deleted': { id: ['list_id', 'entry_id'], members: ['parent_object_id', 'parent_record_id'] },
  'list.created': { id: ['list_id'], members: [] },
  'list.updated': { id: ['list_id'], members: [] },
  'list.deleted': { id: ['list_id'], members: [] },
  'list-attribute.created': { id: ['list_id', 'attribute_id'], members: [] },
  'list-attribute.updated': { id: ['list_id', 'attribute_id'], members: [] },
  'object-attribute.created': { id: ['object_id', 'attribute_id'], members: [] },
  'object-attribute.updated': { id: ['object_id', 'attribute_id'], members: [] },
  'activity.created': { id: ['activity_id'], members: [] },
  'activity.updated': { id: ['activity_id'], members: [] },
  'activity.deleted': { id: ['activity_id'], members: [] },
  'activity-attribute.created': { id: ['activity_id', 'attribute_id'], members: [] },
  'activity-attribute.updated': { id: ['activity_id', 'attribute_id'], members: [] },
  'activity-record.created': { id: ['activity_id', 'record_id'], members: [] },
  'activity-record.updated': { id: ['activity_id', 'record_id', 'attribute_id'], members: [] },
  'activity-record.deleted': { id: ['activity_id', 'record_id'], members: [] },
  'note.created': { id: ['note_id'], members: ['parent_object_id', 'parent_record_id'] },
  'note.updated': { id: ['note_id'], members: ['parent_object_id', 'parent_record_id'] },
  'note.deleted': { id: ['note_id'], members: ['parent_object_id', 'parent_record_id'] },
  'note-content.updated': { id: ['note_id'], members: ['parent_object_id', 'parent_record_id'] },
  'comment.created': { id: ['comment_id'], members: ['thread_id', 'object_id', 'record_id', 'list_id', 'entry_id'] },
  'comment.updated': { id: ['comment_id'], members: ['thread_id', 'object_id', 'record_id', 'list_id', 'entry_id'] },
  'comment.deleted': { id: ['comment_id'], members: ['thread_id', 'object_id', 'record_id', 'list_id', 'entry_id'] },
  'comment.resolved': { id: ['comment_id'], members: ['thread_id', 'object_id', 'record_id', 'list_id', 'entry_id'] },
  'comment.unresolved': {
    id: ['comment_id'],
    members: ['thread_id', 'object_id', 'record_id', 'list_id', 'entry_id'],
  },
  'task.created': { id: ['task_id'], members: [] },
  'task.updated': { id: ['task_id'], members: [] },
  'task.deleted': { id: ['task_id'], members: [] },
  'workspace-member.created': { id: ['workspace_member_id'], members: [] },
  'call-recording.created': { id: ['meeting_id', 'call_recording_id'], members: [] },
} as const satisfies Record<string, { id: readonly string[]; members: readonly string[] }>

export type EventType = keyof typeof EVENT_KINDS

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[] // its keys are the event types

/** What only the feed and its stream have; the public API has no such webhook events. */
const FEED_EVENT_TYPES = ['activity-record.updated', 'comment.updated'] as const satisfies readonly EventType[]

type FeedEventType = (typeof FEED_EVENT_TYPES)[number]

/** The event types that webhooks can subscribe to. */
export type WebhookEventType = Exclude<EventType, FeedEventType>

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENT_KINDS, text)

export const isWebhookEventType = (text: string): text is WebhookEventType =>
  isEventType(text) && !FEED_EVENT_TYPES.some((type) => type === text)

export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = EVENT_TYPES.filter(isWebhookEventType)

type IdOf<K extends EventType> = Readonly<Record<(typeof EVENT_KINDS)[K]['id'][number], string>>
type MembersOf<K extends EventType> = Readonly<Record<(typeof EVENT_KINDS)[K]['members'][number], string | null>>

/** The values of an attribute before and after a change, as JSON text in the form of the API. See docs/decisions/webhooks.md. */
export interface ChangedValues {
  readonly previous: string
  readonly new: string
}

/** Members that only the outbox has. */
interface OutboxMembers {
  /** The actor of the event, when it is not the actor of the write. */
  readonly actor?: number
  readonly values?: ChangedValues
  /** The span of the request that caused the event, as W3C Trace Context. */
  readonly traceparent?: string
}

/** An event as a write appends it, without the workspace. */
export type ChangeEvent = {
  [K in EventType]: { readonly event_type: K; readonly id: IdOf<K> } & OutboxMembers & MembersOf<K>
}[EventType]

/** An event as the feed and webhooks show it. */
export interface ChangeEventBody {
  readonly event_type: EventType
  readonly id: Readonly<Record<string, string>>
  readonly actor: { readonly type: string; readonly id: string | null }
  readonly [member: string]: unknown
}
