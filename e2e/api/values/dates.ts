/** Dates and timestamps. See docs/reference/values.md (Date, Timestamp). */

import { describe } from 'bun:test'
import { accepts, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const value = (value: string) => [{ value }]

const IMPOSSIBLE = [
  '2023-02-30',
  '2023-13-01',
  '2023-00-10',
  '2023-1-2',
  '10000-01-01',
  '0000-12-31',
  'yesterday',
  '01/02/2023',
  '',
]

const NO_STRINGS = [5, true, {}, { value: 2023 }, { value: null }, ['2023', '2024']]

describe('date', () => {
  accepts(at('date'), [
    { send: '2023', reads: value('2023-01-01') },
    { send: '2023-01', reads: value('2023-01-01') },
    { send: '2023-01-02', reads: value('2023-01-02') },
    { send: '2023-01-02T13:00', reads: value('2023-01-02') },
    { send: '2023-01-02T15:00:00.000000000+02:00', reads: value('2023-01-02') },
    { send: '2023-01-02T23:00:00-10:00', reads: value('2023-01-03') },
    { send: '2023-01-01T01:00:00+02:00', reads: value('2022-12-31') },
    { send: { value: '2023-11-24' }, reads: value('2023-11-24') },
    { send: '2024-02-29', reads: value('2024-02-29') },
    { send: '0001-01-01', reads: value('0001-01-01') },
    { send: '9999-12-31', reads: value('9999-12-31') },
    { send: null, reads: [] },
  ])
  refuses(
    at('date'),
    [...IMPOSSIBLE, ...NO_STRINGS].map((send) => ({ send, code: 'validation_type' })),
  )
  refuses(at('date'), [
    { send: '2023-02-30', code: 'validation_type', says: ['invalid value', '"date"'], at: ['value'] },
  ])
})

describe('timestamp', () => {
  accepts(at('timestamp'), [
    { send: '2023', reads: value('2023-01-01T00:00:00.000000000Z') },
    { send: '2023-05', reads: value('2023-05-01T00:00:00.000000000Z') },
    { send: '2023-01-02', reads: value('2023-01-02T00:00:00.000000000Z') },
    { send: '2023-01-02T13', reads: value('2023-01-02T13:00:00.000000000Z') },
    { send: '2023-01-02T13:00', reads: value('2023-01-02T13:00:00.000000000Z') },
    { send: '2023-01-02T13:00:05', reads: value('2023-01-02T13:00:05.000000000Z') },
    { send: '2023-01-02T13:00:00Z', reads: value('2023-01-02T13:00:00.000000000Z') },
    { send: '2023-01-02T13:00:00+00:00', reads: value('2023-01-02T13:00:00.000000000Z') },
    { send: '2023-01-02T13:00:00+02:30', reads: value('2023-01-02T10:30:00.000000000Z') },
    { send: '2023-12-31T23:00:00-02:00', reads: value('2024-01-01T01:00:00.000000000Z') },
    { send: '2023-01-02T13:00:00.123456789Z', reads: value('2023-01-02T13:00:00.123456789Z') },
    { send: '2023-01-02T13:00:00.1234567899Z', reads: value('2023-01-02T13:00:00.123456789Z') },
    { send: { value: '2023-01-02T13:00:00.5Z' }, reads: value('2023-01-02T13:00:00.500000000Z') },
    { send: '9999-12-31T23:59:59.999999999Z', reads: value('9999-12-31T23:59:59.999999999Z') },
    { send: '0001-01-01T00:00:00Z', reads: value('0001-01-01T00:00:00.000000000Z') },
    { send: '1969-12-31T23:59:59.000000001Z', reads: value('1969-12-31T23:59:59.000000001Z') },
    { send: [], reads: [] },
  ])
  refuses(
    at('timestamp'),
    [...IMPOSSIBLE, ...NO_STRINGS].map((send) => ({ send, code: 'validation_type' })),
  )
  refuses(at('timestamp'), [
    { send: '2023-01-02T25:00:00Z', code: 'validation_type', says: ['"timestamp"'], at: ['value'] },
    { send: '2023-01-02T13:61:00Z', code: 'validation_type' },
    { send: '2023-01-02T13:00:00+25:00', code: 'validation_type' },
    { send: '9999-12-31T23:59:59-01:00', code: 'validation_type' },
  ])
})
