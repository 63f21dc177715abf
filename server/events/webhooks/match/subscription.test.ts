import { describe, expect, test } from 'bun:test'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { isFieldOf, isSubscribed, type SubscriptionFilter } from './webhook-access'

const event: ChangeEventBody = {
  event_type: 'comment.created',
  id: { workspace_id: 'w', comment_id: 'c' },
  thread_id: 't',
  object_id: 'o',
  record_id: 'r',
  list_id: null,
  entry_id: null,
  actor: { type: 'system', id: null },
}

const equals = (field: string, value: string) => ({ field, operator: 'equals', value }) as const
const differs = (field: string, value: string) => ({ field, operator: 'not_equals', value }) as const

describe('isSubscribed', () => {
  const cases: [name: string, filter: SubscriptionFilter | null, expected: boolean][] = [
    ['no filter', null, true],
    ['an empty list of conditions', { $and: [] }, true],
    ['an empty list of alternatives', { $or: [] }, true],
    ['a member equals', { $and: [equals('thread_id', 't')] }, true],
    ['a member differs', { $and: [equals('thread_id', 'x')] }, false],
    ['a nested member equals', { $and: [equals('id.comment_id', 'c')] }, true],
    ['all of several', { $and: [equals('thread_id', 't'), equals('object_id', 'o')] }, true],
    ['not all of several', { $and: [equals('thread_id', 't'), equals('object_id', 'x')] }, false],
    ['one of several', { $or: [equals('thread_id', 'x'), equals('object_id', 'o')] }, true],
    ['none of several', { $or: [equals('thread_id', 'x'), equals('object_id', 'x')] }, false],
    ['null equals no text', { $and: [equals('list_id', 'null')] }, false],
    ['null differs from everything', { $and: [differs('list_id', 'l')] }, true],
    ['an absent path equals no value', { $and: [equals('id.no.such', 'x')] }, false],
    ['an absent path differs from everything', { $and: [differs('nothing', 'x')] }, true],
    ['not_equals of another value', { $and: [differs('actor.type', 'app')] }, true],
    ['not_equals of the same value', { $and: [differs('actor.type', 'system')] }, false],
    ['inherited properties are no members', { $and: [equals('constructor.name', 'Object')] }, false],
    ['case matters', { $and: [equals('thread_id', 'T')] }, false],
  ]
  test.each(cases)('%s', (_, filter, expected) => {
    expect(isSubscribed([{ event_type: 'comment.created', filter }], event)).toBe(expected)
  })

  test('one matching subscription of several is enough; other event types do not match', () => {
    const other = { event_type: 'comment.deleted', filter: null } as const
    expect(isSubscribed([other], event)).toBe(false)
    expect(isSubscribed([other, { event_type: 'comment.created', filter: null }], event)).toBe(true)
  })
})

describe('isFieldOf', () => {
  test.each([
    ['record.updated', 'id.attribute_id', true],
    ['record.created', 'id.attribute_id', false],
    ['record.created', 'id.workspace_id', true],
    ['record.created', 'actor.id', true],
    ['record.created', 'id', false],
    ['record.merged', 'duplicate_record_id', true],
    ['list-entry.created', 'parent_object_id', true],
    ['list-entry.created', 'object_id', false],
  ] as const)('%s has %s: %s', (kind, field, expected) => {
    expect(isFieldOf(kind, field)).toBe(expected)
  })
})
