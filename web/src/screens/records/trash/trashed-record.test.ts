import { expect, test } from 'bun:test'
import { nameOf, timeLeft } from './trashed-record'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const id = { workspace_id: 'w', object_id: 'o', record_id: 'r' }

test.each([
  ['2026-03-31T12:00:00Z', '30 days'],
  ['2026-03-31T11:59:00Z', '30 days'],
  ['2026-03-02T12:00:00Z', '1 day'],
  ['2026-03-01T20:00:00Z', 'Less than a day'],
  ['2026-02-01T20:00:00Z', 'Less than a day'],
])('a record that expires at %s has %s left', (expires_at, text) => {
  expect(timeLeft({ expires_at }, NOW)).toBe(text)
})

test('a record is called by its text, which is its id if it has no name', () => {
  const record = { id, deleted_at: '', expires_at: '', deleted_by_actor: { type: 'system', id: null } } as const
  expect(nameOf({ ...record, record_text: 'Ada' })).toBe('Ada')
  expect(nameOf({ ...record, record_text: 'r' })).toBe('Unnamed')
})
