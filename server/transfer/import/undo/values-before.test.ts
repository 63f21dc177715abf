import { describe, expect, test } from 'bun:test'
import { type AttributeValues, valuesBefore } from './undo-import'

const value = (text: string, active_from: number) => ({
  stored: { value: text },
  active_from,
  actor: 1,
  writtenFromOtherSide: false,
})
const ended = (text: string, active_from: number, active_until: number) => ({
  ...value(text, active_from),
  active_until,
})
const withHistory = { number: 1, has_history: true }
const without = { number: 1, has_history: false }
const updates = [10, 20].map((writtenAt) => ({ writtenAt, previous: {} }))

describe('the values before updates at 10 and 20', () => {
  test.each<[string, AttributeValues['active'], AttributeValues['ended'], ReturnType<typeof valuesBefore>]>([
    ['not touched', [value('a', 5)], [], undefined],
    ['changed before', [value('b', 9)], [ended('a', 5, 9)], undefined],
    ['replaced once', [value('b', 10)], [ended('a', 5, 10)], [{ value: 'a' }]],
    ['replaced twice', [value('c', 20)], [ended('a', 5, 10), ended('b', 10, 20)], [{ value: 'a' }]],
    ['filled', [value('b', 20)], [], []],
    ['one of several added', [value('b', 10), value('a', 5)], [], [{ value: 'a' }]],
    ['replaced, then by somebody', [value('c', 30)], [ended('a', 5, 10), ended('b', 10, 30)], 'changed'],
    ['replaced, then emptied', [], [ended('a', 5, 10), ended('b', 10, 30)], 'changed'],
    ['filled, then by somebody', [value('c', 30)], [ended('b', 10, 30)], 'changed'],
    ['added to, then by somebody', [value('c', 30), value('b', 10), value('a', 5)], [], 'changed'],
    ['replaced between by somebody', [value('c', 15)], [ended('a', 5, 10), ended('b', 10, 15)], 'changed'],
    ['added by somebody only', [value('c', 30), value('a', 5)], [], undefined],
  ])('%s', (_, active, values, before) => {
    expect(valuesBefore({ attribute: withHistory, active, ended: values }, updates)).toEqual(before)
  })

  const [first, second] = [
    { writtenAt: 10, previous: { 1: [{ value: 'a' }] } },
    { writtenAt: 20, previous: {} },
  ]
  test.each<[string, AttributeValues['active'], Parameters<typeof valuesBefore>[1], ReturnType<typeof valuesBefore>]>([
    ['replaced', [value('b', 10)], [first, second], [{ value: 'a' }]],
    ['replaced, then by somebody', [value('c', 30)], [first, second], 'changed'],
    ['replaced, then emptied', [], [first, second], 'changed'],
    ['not touched', [value('c', 30)], [second], undefined],
  ])('without a history: %s', (_, active, updates, before) => {
    expect(valuesBefore({ attribute: without, active, ended: [] }, updates)).toEqual(before)
  })
})
