import { expect, test } from 'bun:test'
import { isOfInteractions } from './progress'

const lookup = { lookup: { reference: 'a', attribute: 'b' } }

test.each([
  ['last_interaction', true, null, true],
  ['strongest_connection_user', true, null, true],
  ['last_interaction', false, null, false],
  ['last_interaction', true, lookup, false],
  ['name', true, null, false],
] as const)('%s, of the system: %p, computed: %p: %p', (api_slug, is_system_attribute, computed, expected) => {
  expect(isOfInteractions({ api_slug, is_system_attribute, computed })).toBe(expected)
})
