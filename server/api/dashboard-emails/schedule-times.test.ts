import { expect, test } from 'bun:test'
import { type Frequency, nextTime } from './schedule-times'

const time = (text: string) => Date.parse(text) * 1000
const schedule = (
  frequency: Frequency,
  at: { weekday?: number; day?: number; hour: number },
  time_zone = 'Europe/Berlin',
) => ({
  frequency,
  weekday: at.weekday ?? null,
  day: at.day ?? null,
  hour: at.hour,
  time_zone,
})

test.each([
  ['later today', schedule('daily', { hour: 8 }), '2026-11-28T06:59:59Z', '2026-11-28T07:00:00Z'],
  ['not at the same instant again', schedule('daily', { hour: 8 }), '2026-11-28T07:00:00Z', '2026-11-29T07:00:00Z'],
  [
    'by the day of the time zone',
    schedule('daily', { hour: 8 }, 'Pacific/Auckland'),
    '2026-11-28T18:00:00Z',
    '2026-11-28T19:00:00Z',
  ],
  ['an hour that the clocks skip', schedule('daily', { hour: 2 }), '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
  ['the first of two equal hours', schedule('daily', { hour: 2 }), '2026-10-24T12:00:00Z', '2026-10-25T00:00:00Z'],
  [
    'once on the day with two equal hours',
    schedule('daily', { hour: 2 }),
    '2026-10-25T00:00:00Z',
    '2026-10-26T01:00:00Z',
  ],
  ['later this week', schedule('weekly', { weekday: 7, hour: 8 }), '2026-11-28T12:00:00Z', '2026-11-29T07:00:00Z'],
  ['next week', schedule('weekly', { weekday: 1, hour: 8 }), '2026-11-28T12:00:00Z', '2026-11-30T07:00:00Z'],
  [
    'the last day of a short month',
    schedule('monthly', { day: 31, hour: 0 }),
    '2026-02-01T12:00:00Z',
    '2026-02-27T23:00:00Z',
  ],
  ['next year', schedule('monthly', { day: 1, hour: 8 }), '2026-12-15T12:00:00Z', '2027-01-01T07:00:00Z'],
])('the next time: %s', (_, given, after, next) => expect(nextTime(given, time(after))).toBe(time(next)))
