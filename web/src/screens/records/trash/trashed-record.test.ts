import { expect, test } from 'bun:test'
import { timeLeft } from './trashed-record'

const NOW = Date.parse('2026-03-01T12:00:00Z')

test.each([
  ['2026-03-31T12:00:00Z', '30 days'],
  ['2026-03-31T11:59:00Z', '30 days'],
  ['2026-03-02T12:00:00Z', '1 day'],
  ['2026-03-01T20:00:00Z', 'Less than a day'],
  ['2026-02-01T20:00:00Z', 'Less than a day'],
])('a record that expires at %s has %s left', (expires_at, text) => {
  expect(timeLeft({ expires_at }, NOW)).toBe(text)
})
