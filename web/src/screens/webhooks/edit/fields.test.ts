import { expect, test } from 'bun:test'
import { isFieldOf, TYPES_WITH_VALUES } from '#events/webhooks/match/webhook-access'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { EVENT_TYPE_GROUPS } from '../event-types'
import { changesValues, fieldsOf } from './fields'

test('every kind of event can be chosen', () => {
  const chosen = EVENT_TYPE_GROUPS.flatMap(({ types }) => types.map(({ type }) => type))
  expect(chosen.toSorted()).toEqual(WEBHOOK_EVENT_TYPES.toSorted())
})

test.each(WEBHOOK_EVENT_TYPES)('%s has every field that is offered', (type) => {
  const fields = fieldsOf(type).map(({ path }) => path)
  expect(fields.filter((path) => !isFieldOf(type, path))).toEqual([])
  expect(new Set(fields).size).toBe(fields.length)
  expect(changesValues(type)).toBe(TYPES_WITH_VALUES.has(type))
})
