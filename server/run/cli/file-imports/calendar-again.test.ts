/** Importing a calendar file again. See docs/import.md (Meetings). */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { calendar, calendarImports, type CalendarImports, event } from '#testing/calendars'
import { meetingClient, type MeetingClient, participant } from '#testing/meetings'
import { testService, type TestService } from '#testing/service'

const NOW = Date.parse('2026-11-01T12:00:00Z') * 1000

let service: TestService
let imports: CalendarImports
let meetings: MeetingClient
beforeAll(async () => {
  service = await testService()
  service.setNow(NOW)
  imports = calendarImports(service, NOW)
  meetings = meetingClient(service)
})
afterAll(async () => {
  imports.close()
  await service.close()
})

const START = 'DTSTART:20261102T100000Z'
const changedOn = (day: number) => `LAST-MODIFIED:202610${String(day).padStart(2, '0')}T000000Z`
const attendee = (address: string, status = 'ACCEPTED') => `ATTENDEE;PARTSTAT=${status}:mailto:${address}`

/** Imports a file with these events. Returns the counts. */
async function run(...events: string[]): Promise<string> {
  const [, counts = ''] = /read: (.*)/.exec(await imports.run(calendar(...events))) ?? []
  return counts
}
const counts = (created: number, updated: number, deleted: number, unchanged: number, skipped = 0) =>
  `${created} meetings created, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged, ${skipped} skipped`

const idOf = async (title: string): Promise<string> => (await imports.meetingsOf(title))[0]?.id.meeting_id ?? ''
const etagOf = async (id: string) => (await meetings.get(id)).headers.get('ETag')

describe('an event that was imported before', () => {
  test('moves, renames and changes the participants of its meeting when it is newer, and keeps the linked records', async () => {
    await run(event('moves', START, changedOn(1), attendee('ada@relata.dev', 'TENTATIVE')))
    const id = await idOf('moves')
    const { body } = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
    await meetings.update(id, { linked_records: [{ object: 'companies', record_id: body.data.id.record_id }] })
    const changed = event('moves', 'DTSTART:20261103T100000Z', changedOn(2), attendee('ada@relata.dev'))
    expect(await run(changed.replace('SUMMARY:moves', 'SUMMARY:moved'))).toBe(counts(0, 1, 0, 0))
    expect((await meetings.get(id)).body.data).toMatchObject({
      title: 'moved',
      start: { datetime: '2026-11-03T10:00:00.000Z' },
      participants: [{ email_address: 'ada@relata.dev', status: 'accepted' }],
      linked_records: [{ record_id: body.data.id.record_id }],
    })
  })

  test('writes nothing when it is the same, older, or newer without a difference', async () => {
    const text = event('same', START, changedOn(5), 'SEQUENCE:2')
    await run(text)
    const id = await idOf('same')
    await meetings.update(id, { description: 'Changed here' })
    const before = await etagOf(id)
    const writes = () => service.db.sql`select xmin::text from relata.imported_meetings where meeting_id = ${id}`
    const rows = await writes()
    expect(await run(text)).toBe(counts(0, 0, 0, 1))
    expect(await run(event('same', 'DTSTART:20270101T100000Z', changedOn(4), 'SEQUENCE:2'))).toBe(counts(0, 0, 0, 1))
    expect(await run(event('same', 'DTSTART:20270101T100000Z', changedOn(9), 'SEQUENCE:1'))).toBe(counts(0, 0, 0, 1))
    expect(await writes()).toEqual(rows)
    expect(await run(event('same', START, changedOn(8), 'SEQUENCE:2'))).toBe(counts(0, 0, 0, 1))
    expect(await etagOf(id)).toBe(before)
    // The form of the eighth is newer than this one.
    expect(await run(event('same', 'DTSTART:20270101T100000Z', changedOn(7), 'SEQUENCE:2'))).toBe(counts(0, 0, 0, 1))
  })

  const newer: readonly (readonly [string, string[], string[]])[] = [
    ['a higher SEQUENCE', ['SEQUENCE:1', changedOn(9)], ['SEQUENCE:2', changedOn(3)]],
    ['a later LAST-MODIFIED', [changedOn(1), 'DTSTAMP:20261020T000000Z'], [changedOn(2), 'DTSTAMP:20261019T000000Z']],
    ['a later DTSTAMP', ['DTSTAMP:20261001T000000Z'], ['DTSTAMP:20261001T000001Z']],
    ['a DTSTAMP in the future', ['DTSTAMP:20261001T000000Z'], ['DTSTAMP:20991001T000000Z', 'SEQUENCE:99999999999']],
    ['a SEQUENCE that is no number', ['SEQUENCE:-1', changedOn(1)], ['SEQUENCE:x', changedOn(2)]],
  ]
  test.each(newer)('is newer with %s', async (name, before, after) => {
    await run(event(name, START, ...before))
    expect(await run(event(name, 'DTSTART:20261109T100000Z', ...after))).toBe(counts(0, 1, 0, 0))
    expect(await imports.startsOf(name)).toEqual(['2026-11-09T10:00:00.000Z'])
  })

  test('without any time counts as new at each import', async () => {
    await run(event('undated', START))
    const text = calendar(event('undated', 'DTSTART:20261109T100000Z'))
    expect(await imports.run(text, NOW + 1_000_000)).toContain(counts(0, 1, 0, 0))
    expect(await imports.run(text, NOW + 2_000_000)).toContain(counts(0, 0, 0, 1))
  })

  test('changes a meeting that a client created with its UID', async () => {
    const external_ref = { ical_uid: 'client', provider: 'google', is_recurring: false }
    const id = await meetings.meeting({ external_ref, participants: [participant('ada@relata.dev')] })
    expect(await run(event('client', START, changedOn(1)))).toBe(counts(0, 1, 0, 0))
    expect(await idOf('client')).toBe(id)
  })

  test('is created again after its meeting was deleted here', async () => {
    await run(event('again', START, changedOn(1)))
    const id = await idOf('again')
    for (const refused of [await meetings.remove(id), await meetings.remove(`${id}?force=false`)])
      expect([refused.status, refused.body.code]).toEqual([400, 'system_edit_unauthorized'])
    expect(await run(event('again', START, changedOn(1)))).toBe(counts(0, 0, 0, 1))
    expect((await meetings.remove(`${id}?force=true`)).status).toBe(200)
    expect(await run(event('again', START, changedOn(1)))).toBe(counts(1, 0, 0, 0))
  })

  test('is imported by two processes at once without an error', async () => {
    const file = (day: number) =>
      calendar(...Array.from({ length: 20 }, (_, index) => event(`at-once-${index}`, START, changedOn(day))))
    await Promise.all([imports.run(file(1)), imports.run(file(1))])
    const moved = file(2).replaceAll(START, 'DTSTART:20261103T100000Z')
    await Promise.all([imports.run(moved), imports.run(moved), imports.run(file(1))])
    expect(await imports.startsOf('at-once-7')).toEqual(['2026-11-03T10:00:00.000Z'])
  })
})

describe('a cancelled event', () => {
  const cancelled = (uid: string, day: number, ...lines: string[]) =>
    event(uid, START, 'STATUS:CANCELLED', changedOn(day), ...lines)

  test('deletes its meeting, once, unless it is older', async () => {
    await run(event('ends', START, changedOn(5)))
    expect(await run(cancelled('ends', 4))).toBe(counts(0, 0, 0, 0, 1))
    expect(await run(cancelled('ends', 6))).toBe(counts(0, 0, 1, 0))
    expect(await imports.meetingsOf('ends')).toEqual([])
    expect(await run(cancelled('ends', 6))).toBe(counts(0, 0, 0, 0, 1))
  })

  test('leaves a meeting with call recordings, and reports it', async () => {
    await run(event('recorded', START, changedOn(1)))
    const id = await idOf('recorded')
    const segment = { speech: 'Yes', start_time: 0, end_time: 1, speaker: { name: 'Ada' } }
    await service.request('POST', `/v2/meetings/${id}/call_recordings`, { data: { transcript: [segment] } })
    expect(await run(cancelled('recorded', 2))).toBe(counts(0, 0, 0, 0, 1))
    expect(await imports.problems()).toEqual([expect.stringContaining('it has call recordings')])
    expect(await idOf('recorded')).toBe(id)
  })

  test('deletes all occurrences of a recurring event, or the one that it names', async () => {
    const daily = 'RRULE:FREQ=DAILY;COUNT=3'
    await run(event('series', START, daily, changedOn(1)))
    const one = cancelled('series', 2, 'RECURRENCE-ID:20261103T100000Z')
    expect(await run(event('series', START, daily, changedOn(1)), one)).toBe(counts(0, 0, 1, 2))
    expect(await imports.startsOf('series')).toEqual(['2026-11-02T10:00:00.000Z', '2026-11-04T10:00:00.000Z'])
    expect(await run(cancelled('series', 3))).toBe(counts(0, 0, 2, 0))
  })
})

describe('a recurring event that was imported before', () => {
  const weekly = (...lines: string[]) => event('weekly', ...lines)
  const separate = (start: string, day: number) =>
    weekly('RECURRENCE-ID:20261109T100000Z', `DTSTART:${start}`, changedOn(day), 'SEQUENCE:1')

  test('moves, excludes, separates and restores occurrences, without repeating any', async () => {
    const rule = 'RRULE:FREQ=WEEKLY;COUNT=3'
    expect(await run(weekly(START, rule, changedOn(1)))).toBe(counts(3, 0, 0, 0))
    const excluded = weekly(START, rule, 'EXDATE:20261116T100000Z', changedOn(2))
    expect(await run(excluded)).toBe(counts(0, 0, 1, 2))
    expect(await run(excluded, separate('20261110T150000Z', 3))).toBe(counts(0, 1, 0, 1))
    expect(await run(separate('20261111T150000Z', 4), excluded)).toBe(counts(0, 1, 0, 1))
    expect(await imports.startsOf('weekly')).toEqual(['2026-11-02T10:00:00.000Z', '2026-11-11T15:00:00.000Z'])
    expect(await run(weekly(START, rule, changedOn(5)))).toBe(counts(1, 1, 0, 1))
    const moved = weekly('DTSTART:20261102T110000Z', rule, changedOn(5), 'SEQUENCE:1')
    expect(await run(moved)).toBe(counts(3, 0, 3, 0))
    expect(await run(weekly(START, rule, changedOn(5)))).toBe(counts(0, 0, 0, 3))
    expect(await run(weekly('DTSTART:20261102T120000Z', changedOn(7), 'SEQUENCE:2'))).toBe(counts(1, 0, 3, 0))
  })

  test('is imported in its newest form from a file with several forms, in any order', async () => {
    const form = (uid: string, hour: number, day: number) =>
      event(uid, `DTSTART:20261102T${hour}0000Z`, 'RRULE:FREQ=WEEKLY;COUNT=2', changedOn(day))
    const other = (uid: string, hour: number, sequence: number) =>
      event(
        uid,
        'RECURRENCE-ID:20261109T110000Z',
        `DTSTART:20261110T${hour}0000Z`,
        `SEQUENCE:${sequence}`,
        changedOn(3),
      )
    const forms = (uid: string) => [form(uid, 10, 1), form(uid, 11, 2), other(uid, 15, 1), other(uid, 16, 2)]
    await run(...forms('forward'))
    await run(...forms('backward').toReversed())
    const expected = ['2026-11-02T11:00:00.000Z', '2026-11-10T16:00:00.000Z']
    expect([await imports.startsOf('forward'), await imports.startsOf('backward')]).toEqual([expected, expected])
  })

  test('keeps its occurrences from before the imported time', async () => {
    const daily = (from: string, day: number) =>
      event('daily', `DTSTART:${from}`, 'RRULE:FREQ=DAILY;COUNT=2', changedOn(day))
    await run(daily('20261001T100000Z', 1))
    const later = NOW + 800 * 86_400_000_000
    service.setNow(later)
    expect(await imports.run(calendar(daily('20261001T100000Z', 2)), later)).toContain(counts(0, 0, 0, 0))
    service.setNow(NOW)
    expect(await imports.startsOf('daily')).toHaveLength(2)
  })
})
