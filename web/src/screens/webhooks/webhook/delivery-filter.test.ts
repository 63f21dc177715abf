import { expect, test } from 'bun:test'
import type { Delivery } from '../../../api/webhooks/deliveries'
import { filterIn, matchesFilter } from './delivery-filter'

const RECORD = '01a1b2c3-0000-7000-8000-000000000001'

const READ: [search: string, filter: object][] = [
  ['', {}],
  ['delivery=x&part=request', {}],
  ['status=failed&event=list.created', { status: 'failed', event_type: 'list.created' }],
  ['status=lost&event=list.invented&record=1', {}],
  [`record=${RECORD}&search=a%20b`, { record_id: RECORD, search: 'a b' }],
]

test.each(READ)('?%s', (search, filter) => {
  expect(filterIn(new URLSearchParams(search))).toEqual(filter)
})

const delivery = { status: 'failed', event_type: 'list.created', record_id: RECORD } as Delivery // all that is looked at

const WANTED: [filter: Parameters<typeof matchesFilter>[0], wanted: boolean | undefined][] = [
  [{}, true],
  [{ status: 'failed', event_type: 'list.created', record_id: RECORD.toUpperCase() }, true],
  [{ status: 'succeeded' }, false],
  [{ event_type: 'list.deleted' }, false],
  [{ record_id: RECORD.replace('1', '2') }, false],
  [{ search: 'x' }, undefined],
  [{ search: 'x', status: 'succeeded' }, false],
]

test.each(WANTED)('%j', (filter, wanted) => {
  expect(matchesFilter(filter, delivery)).toBe(wanted)
})
