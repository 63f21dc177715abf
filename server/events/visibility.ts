/**
 * Which change events a viewer may see: one rule for the feed, its stream, webhooks, their deliveries and what test
 * endpoints received. Decision 0072.
 */

import { levelOn, type ListAccess, type Viewer } from '../data-model/viewer'
import { includesScope, type Scope } from '../scopes'
import { EVENT_TYPES, type ChangeEventBody, type EventType } from './event-types'

const RECORDS = ['record_permission:read', 'object_configuration:read'] as const
const ENTRIES = ['list_entry:read', 'list_configuration:read'] as const
const NOTES = ['note:read', ...RECORDS] as const

type Family = EventType extends `${infer Name}.${string}` ? Name : never

type Alternatives = readonly [readonly Scope[], ...(readonly Scope[])[]]

/** What reading the entity takes over the API; any one of the alternatives does. See docs/reference/access-and-oauth.md (Scopes). */
const READ_SCOPES: Readonly<Record<Family | 'comment of an entry', Alternatives>> = {
  record: [RECORDS],
  'list-entry': [ENTRIES],
  list: [['list_configuration:read']],
  'list-attribute': [['list_configuration:read'], ['object_configuration:read']],
  'object-attribute': [['object_configuration:read']],
  note: [NOTES],
  'note-content': [NOTES],
  comment: [['comment:read', ...RECORDS]],
  'comment of an entry': [['comment:read', ...ENTRIES]],
  task: [['task:read', ...RECORDS, 'user_management:read']],
  'workspace-member': [['user_management:read']],
  'call-recording': [['meeting:read', 'call_recording:read']],
}

/** What the decision is made by: the type of an event, and the list it names. */
export interface EventSubject {
  readonly event_type: EventType
  readonly listId: string | null
}

export const subjectOf = (body: ChangeEventBody): EventSubject => ({
  event_type: body.event_type,
  listId: listIdOf(body),
})

/** The list an event is about, itself or by its entry. */
export function listIdOf({ id, list_id }: ChangeEventBody): string | null {
  return id.list_id ?? (typeof list_id === 'string' ? list_id : null)
}

/** The same from an event as it is kept; most types never name a list, and are not read. */
export const subjectOfText = (event_type: EventType, body: string): EventSubject => ({
  event_type,
  listId: NAMES_LIST.test(event_type) ? listIdOf(JSON.parse(body) as ChangeEventBody) : null, // as published
})

const NAMES_LIST = /^(list|list-entry|list-attribute|comment)\./

/** A list that is gone: whoever sees every list saw it. */
const GONE: ListAccess = { workspace_access: null, workspace_member_access: [] }

/** `findAccess` gives undefined for a list that is gone, of which others see only that it was deleted. */
export function isVisible(
  viewer: Viewer,
  { event_type, listId }: EventSubject,
  findAccess: (listId: string) => ListAccess | undefined,
): boolean {
  if (!mayRead(viewer, event_type, listId !== null)) return false
  if (listId === null || event_type === 'list.deleted') return true
  return levelOn(viewer, findAccess(listId) ?? GONE) !== undefined
}

/** The scopes that reading what events of this type are about takes. */
export const scopesToRead = (eventType: EventType): readonly Scope[] => READ_SCOPES[familyOf(eventType)][0]

/** Whoever hears of events needs the scope of the feed as well. */
function mayRead({ scopes }: Viewer, eventType: EventType, namesList: boolean): boolean {
  const family = familyOf(eventType)
  const alternatives = READ_SCOPES[family === 'comment' && namesList ? 'comment of an entry' : family]
  const hasAll = (needed: readonly Scope[]) => needed.every((scope) => includesScope(scopes, scope))
  return includesScope(scopes, 'webhook:read') && alternatives.some(hasAll)
}

const familyOf = (eventType: EventType): Family => eventType.slice(0, eventType.indexOf('.')) as Family // its first half

/** The same decision for all events at once, as statements need it. */
export interface VisibleEvents {
  /** Of events that name no list. */
  readonly types: readonly EventType[]
  /** Of events that name one. */
  readonly listTypes: readonly EventType[]
  /** The lists whose events are visible. */
  readonly lists: readonly string[]
  /** Whether events of lists that are gone are visible as well. */
  readonly seesDeletedLists: boolean
}

export function visibleEvents(viewer: Viewer, lists: readonly (ListAccess & { readonly id: string })[]): VisibleEvents {
  const seen = lists.filter((list) => levelOn(viewer, list) !== undefined)
  return {
    types: EVENT_TYPES.filter((type) => mayRead(viewer, type, false)),
    listTypes: EVENT_TYPES.filter((type) => mayRead(viewer, type, true)),
    lists: seen.map(({ id }) => id),
    seesDeletedLists: levelOn(viewer, GONE) !== undefined,
  }
}
