import { expect, test } from 'bun:test'
import type { Value } from '../../../../api/records/entities'
import { changesOf } from './changes'

const value = (value: string, from: number, until: number | null, id = 'ada'): Value => ({
  active_from: `2026-01-0${from}T00:00:00.000000000Z`,
  active_until: until === null ? null : `2026-01-0${until}T00:00:00.000000000Z`,
  created_by_actor: { type: 'workspace-member', id },
  attribute_type: 'text',
  value,
})

const said = (values: readonly Value[]) =>
  changesOf(values).map(({ at, actor, before, after }) => [
    Number(at.slice(8, 10)),
    actor?.id ?? null,
    before.map((one) => one.value).join(),
    after.map((one) => one.value).join(),
  ])

test.each([
  ['nothing', [], []],
  ['a value that is there', [value('a', 1, null)], [[1, 'ada', '', 'a']]],
  [
    'one that took the place of another',
    [value('b', 2, null, 'bob'), value('a', 1, 2)],
    [
      [2, 'bob', 'a', 'b'],
      [1, 'ada', '', 'a'],
    ],
  ],
  [
    'one that was cleared',
    [value('a', 1, 3)],
    [
      [3, null, 'a', ''],
      [1, 'ada', '', 'a'],
    ],
  ],
  [
    'several at a time',
    [value('a', 1, null), value('b', 2, 3), value('c', 3, null)],
    [
      [3, 'ada', 'a,b', 'a,c'],
      [2, 'ada', 'a', 'a,b'],
      [1, 'ada', '', 'a'],
    ],
  ],
] as const)('%s', (_, values, changes) => {
  expect(said(values)).toEqual(changes.map((change) => [...change]))
})
