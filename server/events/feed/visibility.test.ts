import { describe, expect, test } from 'bun:test'
import type { ListAccess, Viewer } from '#engine/data-model/viewer'
import { READ_WRITE_SCOPES, type Scope } from '#vocabulary/scopes'
import { EVENT_TYPES, type EventType } from '#vocabulary/event-types'
import { isVisible, listIdOf, scopesToRead, visibleEvents, type VisibleEvents } from './visibility'

const LISTS: Readonly<Record<string, ListAccess>> = {
  open: { workspace_access: 'read-only', workspace_member_access: [] },
  shared: { workspace_access: null, workspace_member_access: [{ workspace_member_id: 'bob', level: 'read-only' }] },
  hidden: { workspace_access: null, workspace_member_access: [] },
}
const WITHOUT_PRIVATE = READ_WRITE_SCOPES.filter((scope) => !scope.startsWith('private_collection'))

const key = (...scopes: Scope[]): Viewer => ({ kind: 'api-token', memberId: 'bob', scopes: new Set(scopes) })
const person = (isAdmin: boolean): Viewer => ({
  kind: 'workspace-member',
  memberId: 'bob',
  isAdmin,
  scopes: new Set(WITHOUT_PRIVATE),
})

const VIEWERS: readonly [name: string, viewer: Viewer, lists: string[]][] = [
  ['a key with everything', key(...READ_WRITE_SCOPES), ['open', 'shared', 'hidden', 'gone']],
  ['a key without private lists', key(...WITHOUT_PRIVATE), ['open']],
  ['a key with only the scope for webhooks', key('webhook:read'), []],
  ['a key without the scope for webhooks', key('list_entry:read', 'list_configuration:read'), []],
  ['an app of Bob', { ...key(...WITHOUT_PRIVATE), kind: 'app' }, ['open', 'shared']],
  ['Bob', person(false), ['open', 'shared']],
  ['Bob as an admin', person(true), ['open', 'shared', 'hidden', 'gone']],
]

const find = (id: string) => LISTS[id]

describe.each(VIEWERS)('%s', (_, viewer, lists) => {
  test('sees events of entries of visible lists', () => {
    const seen = ['open', 'shared', 'hidden', 'gone'].filter((listId) =>
      isVisible(viewer, { event_type: 'list-entry.created', listId }, find),
    )
    expect(seen).toEqual(lists)
  })

  test('sees the same events with `visibleEvents` and with `maySee`', () => {
    const visible = visibleEvents(
      viewer,
      Object.entries(LISTS).map(([id, access]) => ({ id, ...access })),
      [],
    )
    for (const event_type of EVENT_TYPES) {
      for (const listId of [null, 'open', 'shared', 'hidden', 'gone']) {
        const expected = isVisible(viewer, { event_type, listId }, find)
        expect([event_type, listId, isAmong(visible, event_type, listId)]).toEqual([event_type, listId, expected])
      }
    }
  })
})

/** Whether events of this type and list are visible, as `feed/visibility.ts` decides in SQL. */
function isAmong(
  { types, listTypes, lists, seesDeletedLists }: VisibleEvents,
  type: EventType,
  list: string | null,
): boolean {
  if (list === null) return types.includes(type)
  return listTypes.includes(type) && (seesDeletedLists || type === 'list.deleted' || lists.includes(list))
}

test.each(EVENT_TYPES)('%s is visible with exactly the scopes for reading', (event_type) => {
  const needed = scopesToRead(event_type)
  const sees = (scopes: readonly Scope[]) =>
    isVisible(key('webhook:read', ...scopes), { event_type, listId: null }, find)
  expect(sees(needed)).toBe(true)
  for (const scope of needed) expect(sees(needed.filter((other) => other !== scope))).toBe(false)
})

test('the list of an event is in its id or beside it', () => {
  const body = { event_type: 'comment.created', id: { comment_id: 'c' }, actor: { type: 'system', id: null } } as const
  expect(listIdOf({ ...body, list_id: 'open' })).toBe('open')
  expect(listIdOf({ ...body, list_id: null })).toBeNull()
  expect(listIdOf({ ...body, event_type: 'list.created', id: { list_id: 'open' } })).toBe('open')
})
