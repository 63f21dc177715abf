/**
 * Decides which change events a viewer may see. The rule is the same for the feed and its stream, for webhooks and their
 * deliveries, and for the requests at test endpoints. See docs/decisions/event-access.md.
 */

import { type RawBuilder, sql as expression } from 'kysely'
import { anyOf } from '#engine/data-model/kysely-in-transaction'
import { accessLevelOn, type ListAccess, type Viewer } from '#engine/data-model/viewer'
import { ACTIVITY_RECORD_SCOPES, includesScope, type Scope } from '#vocabulary/scopes'
import { EVENT_TYPES, type ChangeEventBody, type EventType } from '#vocabulary/event-types'

const RECORDS = ['record_permission:read', 'object_configuration:read'] as const
const ENTRIES = ['list_entry:read', 'list_configuration:read'] as const
const NOTES = ['note:read', ...RECORDS] as const

type Family = EventType extends `${infer Name}.${string}` ? Name : never

type Alternatives = readonly [readonly Scope[], ...(readonly Scope[])[]]

/** The scopes that the API requires to read the subject of an event. One of the alternatives is enough. See docs/reference/access-and-oauth.md (Scopes). */
const READ_SCOPES: Readonly<Record<Family | 'comment of an entry', Alternatives>> = {
  record: [RECORDS],
  'list-entry': [ENTRIES],
  list: [['list_configuration:read']],
  'list-attribute': [['list_configuration:read'], ['object_configuration:read']],
  'object-attribute': [['object_configuration:read']],
  activity: [['activity_configuration:read']],
  'activity-attribute': [['activity_configuration:read']],
  'activity-record': [ACTIVITY_RECORD_SCOPES.read],
  note: [NOTES],
  'note-content': [NOTES],
  comment: [['comment:read', ...RECORDS]],
  'comment of an entry': [['comment:read', ...ENTRIES]],
  task: [['task:read', ...RECORDS, 'user_management:read']],
  'workspace-member': [['user_management:read']],
  'call-recording': [['meeting:read', 'call_recording:read']],
}

/** The parts of an event that decide about its visibility. */
export interface EventSubject {
  readonly event_type: EventType
  readonly listId: string | null
}

export const subjectOf = (body: ChangeEventBody): EventSubject => ({
  event_type: body.event_type,
  listId: listIdOf(body),
})

/** The list that an event names, or the list of its entry. */
export function listIdOf({ id, list_id }: ChangeEventBody): string | null {
  return id.list_id ?? (typeof list_id === 'string' ? list_id : null)
}

/** The same for the text of a stored event. Only events of types that can name a list are parsed. */
export const subjectOfText = (event_type: EventType, body: string): EventSubject => ({
  event_type,
  listId: NAMES_LIST.test(event_type) ? listIdOf(JSON.parse(body) as ChangeEventBody) : null, // as published
})

const NAMES_LIST = /^(list|list-entry|list-attribute|comment)\./

/** A deleted list. Only viewers who see every list see its events. */
const DELETED_LIST: ListAccess = { workspace_access: null, workspace_member_access: [] }

/** `findAccess` returns undefined for a deleted list. All viewers see the event of its deletion. */
export function isVisible(
  viewer: Viewer,
  { event_type, listId }: EventSubject,
  findAccess: (listId: string) => ListAccess | undefined,
): boolean {
  if (!mayRead(viewer, event_type, listId !== null)) return false
  if (listId === null || event_type === 'list.deleted') return true
  return accessLevelOn(viewer, findAccess(listId) ?? DELETED_LIST) !== undefined
}

/** The scopes that the API requires to read the subject of events of this type. */
export const scopesToRead = (eventType: EventType): readonly Scope[] => READ_SCOPES[familyOf(eventType)][0]

/** Requires the scope of the feed as well. */
function mayRead({ scopes }: Viewer, eventType: EventType, namesList: boolean): boolean {
  const family = familyOf(eventType)
  const alternatives = READ_SCOPES[family === 'comment' && namesList ? 'comment of an entry' : family]
  const hasAll = (needed: readonly Scope[]) => needed.every((scope) => includesScope(scopes, scope))
  return includesScope(scopes, 'webhook:read') && alternatives.some(hasAll)
}

const familyOf = (eventType: EventType): Family => eventType.slice(0, eventType.indexOf('.')) as Family // the part before the dot

/** The same rule in the form that SQL conditions need. */
export interface VisibleEvents {
  /** The visible types of events that name no list. */
  readonly types: readonly EventType[]
  /** The visible types of events that name a list. */
  readonly listTypes: readonly EventType[]
  /** The ids of the lists whose events are visible. */
  readonly lists: readonly string[]
  /** Whether events of deleted lists are visible. */
  readonly seesDeletedLists: boolean
  /** Events that contain one of these texts are not visible. */
  readonly hiddenNames: readonly string[]
}

/** `lists` and `hiddenNames` are those of the viewer's model. */
export function visibleEvents(
  viewer: Viewer,
  lists: readonly (ListAccess & { readonly id: string })[],
  hiddenNames: readonly string[],
): VisibleEvents {
  const visible = lists.filter((list) => accessLevelOn(viewer, list) !== undefined)
  return {
    types: EVENT_TYPES.filter((type) => mayRead(viewer, type, false)),
    listTypes: EVENT_TYPES.filter((type) => mayRead(viewer, type, true)),
    lists: visible.map(({ id }) => id),
    seesDeletedLists: accessLevelOn(viewer, DELETED_LIST) !== undefined,
    hiddenNames,
  }
}

// The same rule as a condition on rows with an event's type, the list that it names, and its text.

/** The rows that at least one of these viewers may see. */
export const visibleToAny = (visible: readonly VisibleEvents[]): RawBuilder<boolean> =>
  expression`(${expression.join([expression`false`, ...visible.map(visibleTo)], expression` or `)})`

export const visibleTo = ({
  types,
  listTypes,
  lists,
  seesDeletedLists,
  hiddenNames,
}: VisibleEvents): RawBuilder<boolean> => expression`(
  not (body like ${anyOf(hiddenNames.map(patternOf), 'text')}) and case when list_id is null then event_type = ${anyOf([...types], 'text')}
  else event_type = ${anyOf([...listTypes], 'text')}
    and (${seesDeletedLists}::boolean or event_type = 'list.deleted' or list_id = ${anyOf([...lists], 'text')}) end)`

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
