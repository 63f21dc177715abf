import { describe, expect, test } from 'bun:test'
import { localDayOf } from './time-zones'

const micros = (iso: string) => Date.parse(iso) * 1000
const iso = (at: number) => new Date(at / 1000).toISOString().slice(0, 16)

const days: [zone: string, now: string, from: string, until: string][] = [
  ['UTC', '2026-11-22T14:00:00Z', '2026-11-22T00:00', '2026-11-23T00:00'],
  ['UTC', '2026-11-22T00:00:00Z', '2026-11-22T00:00', '2026-11-23T00:00'],
  ['Europe/Berlin', '2026-11-22T23:30:00Z', '2026-11-22T23:00', '2026-11-23T23:00'],
  ['America/Los_Angeles', '2026-11-22T07:59:59Z', '2026-11-21T08:00', '2026-11-22T08:00'],
  ['Asia/Kolkata', '2026-11-22T18:30:00Z', '2026-11-22T18:30', '2026-11-23T18:30'],
  ['Pacific/Kiritimati', '2026-11-22T10:00:00Z', '2026-11-22T10:00', '2026-11-23T10:00'],
  // 23 and 25 hours long.
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
]

describe('localDayOf', () => {
  test.each(days)('%s at %s', (zone, now, from, until) => {
    const day = localDayOf(zone, micros(now))
    expect(day && [iso(day.from), iso(day.until)]).toEqual([from, until])
  })

  test.each(['', 'Nowhere', 'Europe/Berlin ', 'x'.repeat(1000), 'Europe/../Berlin'])('undefined for %p', (zone) => {
    expect(localDayOf(zone, 0)).toBeUndefined()
  })
})
