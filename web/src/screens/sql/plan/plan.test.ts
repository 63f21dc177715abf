import { expect, test } from 'bun:test'
import { planOf } from './plan'

const scan = {
  'Node Type': 'Seq Scan',
  'Relation Name': 'people',
  'Plan Rows': 100,
  'Total Cost': 30,
  Filter: '(a > 1)',
}
const sort = { 'Node Type': 'Sort', 'Plan Rows': 100, 'Total Cost': 40, 'Sort Key': ['a', 'b'], Plans: [scan] }

test('without a run, the parts are those of the estimated cost', () => {
  expect(planOf([{ Plan: sort }])).toEqual({
    isMeasured: false,
    root: {
      name: 'Sort',
      details: ['a, b'],
      rows: 100,
      timeMs: undefined,
      share: 0.25,
      children: [
        {
          name: 'Seq Scan',
          details: ['on people', '(a > 1)'],
          rows: 100,
          timeMs: undefined,
          share: 0.75,
          children: [],
        },
      ],
    },
  })
})

test('with a run, the parts are those of the time of all loops', () => {
  const inner = { ...scan, 'Actual Rows': 2, 'Actual Loops': 3, 'Actual Total Time': 2, 'Index Name': 'people_a' }
  const plan = planOf({
    Plan: { 'Node Type': 'Nested Loop', 'Actual Rows': 6, 'Actual Loops': 1, 'Actual Total Time': 8, Plans: [inner] },
  })
  expect(plan?.isMeasured).toBe(true)
  expect(plan?.root).toMatchObject({ rows: 6, timeMs: 2, share: 0.25 })
  expect(plan?.root.children[0]).toMatchObject({
    details: ['on people', 'by people_a', '(a > 1)'],
    rows: 6,
    timeMs: 6,
    share: 0.75,
  })
})

test.each([[null], ['Seq Scan'], [[]], [{}], [{ Plan: 1 }]])('%j is no plan', (explained) => {
  expect(planOf(explained)).toBeUndefined()
})
