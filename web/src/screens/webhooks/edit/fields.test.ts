import { expect, test } from 'bun:test'
import { isFieldOf, TYPES_WITH_VALUES } from '#events/webhooks/match/subscription'
import { EVENT_TYPES as ALL } from '#vocabulary/event-types'
import { EVENT_TYPES } from '../event-types'
import { changesValues, fieldsOf } from './fields'

test('every kind of event can be chosen', () => {
  expect(EVENT_TYPES.toSorted()).toEqual(ALL.toSorted())
})

test.each(ALL)('%s has every field that is offered', (type) => {
  const fields = fieldsOf(type).map(({ path }) => path)
  expect(fields.filter((path) => !isFieldOf(type, path))).toEqual([])
  expect(new Set(fields).size).toBe(fields.length)
  expect(changesValues(type)).toBe(TYPES_WITH_VALUES.has(type))
})
