import { expect, test } from 'bun:test'
import { aggregateQuery, filterOf } from './chart-filters'

const chart = {
  group_by: { attribute: 'stage' },
}
const NO_FILTERS = { period: null, owner: null }

test.each([
  [chart, NO_FILTERS, {}],
  [{ ...chart, filter: { name: 'x' } }, NO_FILTERS, { name: 'x' }],
  [chart, { period: 'this_month', owner: 'me' }, { created_at: { $relative: 'this_month' } }],
  [
    { ...chart, filter: { name: 'x' }, time_attribute: 'closed', owner_attribute: 'owner' },
    { period: 'this_month', owner: 'me' },
    { $and: [{ name: 'x' }, { closed: { $relative: 'this_month' } }, { owner: { $relative: 'me' } }] },
  ],
  [
    { ...chart, owner_attribute: 'owner' },
    { period: null, owner: 'm' },
    { owner: { referenced_actor_type: 'workspace-member', referenced_actor_id: 'm' } },
  ],
])('the filter of %j with %j', (definition, filters, filter) => expect(filterOf(definition, filters)).toEqual(filter))

test('a chart without aggregates counts', () => {
  expect(aggregateQuery({ ...chart, split_by: { attribute: 'owner' } }, NO_FILTERS)).toEqual({
    filter: {},
    aggregates: [{ function: 'count' }],
    group_by: { attribute: 'stage' },
    split_by: { attribute: 'owner' },
  })
})
