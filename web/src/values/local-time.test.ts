import { expect, test } from 'bun:test'
import { readInstant } from './local-time'

test('readInstant reads instants, local times and days', () => {
  expect(readInstant('2024-05-06T10:00:00.000Z')).toBe('2024-05-06T10:00:00.000Z')
  expect(readInstant('2024-05-06 10:00')).toBe(new Date('2024-05-06 10:00').toISOString())
  expect(readInstant('May 6, 2024')).toBe(new Date('2024-05-06T00:00:00').toISOString())
  expect(readInstant('soon')).toBeUndefined()
})
