import { describe, expect, test } from 'bun:test'
import { actorIn, cellText, exactText, recordIn } from './cells'
import { columnWidths } from './column-widths'
import { durationText, rowsText } from './summary'

const RECORD = { entity_definition_id: 'o', entity_instance_id: 'r' }

test.each([
  [null, 'text', ''],
  ['Ada', 'text', 'Ada'],
  [2024, 'integer', '2024'],
  [true, 'boolean', 'true'],
  [['a', 'b'], 'text[]', 'a, b'],
  [['2026-01-02'], 'date[]', 'Jan 2, 2026'],
  [{ first_name: 'Ada', last_name: 'L', full_name: 'Ada L' }, 'personal_name', 'Ada L'],
  [{ a: 1 }, 'json', '{"a":1}'],
  ['infinity', 'date', 'infinity'],
])('the text of %j of type %s is %j', (value, type, text) => expect(cellText(value, type)).toBe(text))

describe('values that refer', () => {
  test('to a record or an actor', () => {
    expect(recordIn(RECORD)).toEqual({ objectId: 'o', recordId: 'r' })
    expect(actorIn({ actor_type: 'system', actor_id: null })).toEqual({ type: 'system', id: null })
  })

  test.each([[null], ['x'], [[RECORD]], [{}], [{ entity_definition_id: 1, entity_instance_id: null }]])(
    '%j to none',
    (value) => {
      expect(recordIn(value)).toBeUndefined()
      expect(actorIn(value)).toBeUndefined()
    },
  )
})

test('the exact text is the value as the API returned it', () => {
  expect([null, 'a', { b: 1 }].map(exactText)).toEqual(['null', 'a', '{\n  "b": 1\n}'])
})

test('columns are as wide as their texts, within limits', () => {
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 'text' }))
  const rows = [{ a: 'x', b: 'x'.repeat(1000), c: RECORD }]
  const [narrow = 0, wide = 0, reference = 0] = columnWidths({ columns, rows, truncated: false })
  expect([narrow, wide]).toEqual([5, 24])
  expect(reference).toBeGreaterThan(10)
})

test('the size and duration of a result', () => {
  expect([0, 1, 2, 10_000].map(rowsText)).toEqual(['0 rows', '1 row', '2 rows', '10,000 rows'])
  expect([0.4, 999, 1240, 61_000].map(durationText)).toEqual(['0 ms', '999 ms', '1.24 s', '1 min 1 s'])
})
