import { expect, test } from 'bun:test'
import type { RecentRequest } from '../../../api/access/recent-requests'
import { clientOptions, isSelection, selectRequests } from './requests'

const request = (members: Partial<RecentRequest>): RecentRequest => ({
  id: '1',
  client_name: 'Key',
  method: 'GET',
  path: '/v2/objects',
  status: 200,
  code: null,
  ignored: null,
  duration_ms: 3,
  created_at: '2026-03-01T10:00:00Z',
  ...members,
})

const ALL = [
  request({ id: 'fine' }),
  request({ id: 'refused', status: 404, client_name: 'App' }),
  request({ id: 'ignored', ignored: '?limt', client_name: null }),
]
const idsOf = (...parameters: Parameters<typeof selectRequests>) => selectRequests(...parameters).map(({ id }) => id)

test('errors, and requests with ignored members, are selected', () => {
  expect(idsOf(ALL, '', '')).toEqual(['fine', 'refused', 'ignored'])
  expect(idsOf(ALL, 'errors', '')).toEqual(['refused'])
  expect(idsOf(ALL, 'ignored', '')).toEqual(['ignored'])
  expect([isSelection('errors'), isSelection(''), isSelection('toString')]).toEqual([true, true, false])
})

test('the requests of one key or app are selected, also while it has none', () => {
  expect(idsOf(ALL, '', 'App')).toEqual(['refused'])
  expect(idsOf(ALL, 'errors', 'Key')).toEqual([])
  const valuesOf = (chosen: string) => clientOptions(ALL, chosen).map(({ value }) => value)
  expect(valuesOf('')).toEqual(['', 'A deleted client', 'App', 'Key'])
  expect(valuesOf('Zed')).toEqual(['', 'A deleted client', 'App', 'Key', 'Zed'])
})
