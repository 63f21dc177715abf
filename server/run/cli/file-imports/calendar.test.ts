/** bun relata calendar import. See docs/import.md (Meetings). */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { calendar, calendarImports, type CalendarImports, event } from '#testing/calendars'
import { testService, type TestService } from '#testing/service'

const NOW = Date.parse('2026-11-01T12:00:00Z') * 1000

let service: TestService
let imports: CalendarImports
beforeAll(async () => {
  service = await testService()
  service.setNow(NOW)
  imports = calendarImports(service, NOW)
})
afterAll(async () => {
  imports.close()
  await service.close()
})

describe('calendar import', () => {
  const ATTENDEES = [
    'ORGANIZER;CN=Ada Lovelace:MAILTO:Ada@Relata.dev',
    'ATTENDEE;PARTSTAT=TENTATIVE;CN="Hopper, Grace":mailto:grace@navy.mil',
    'ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@relata.dev',
    'ATTENDEE;CUTYPE=ROOM:mailto:room-1@relata.dev',
    'ATTENDEE;CN=Only a name:invalid:nomail',
  ]

  test('imports events with their participants, and imports them once', async () => {
    const long = `DESCRIPTION:${'Grüße '.repeat(40)}`
    const bytes = Buffer.from(long)
    // Folded within the character ü.
    const folded = Buffer.concat([bytes.subarray(0, 15), Buffer.from('\r\n '), bytes.subarray(15)]).toString('latin1')
    const text = calendar(
      event(
        'one',
        'DTSTART;TZID=Europe/Berlin:20261102T100000',
        'DTEND;TZID=Europe/Berlin:20261102T110000',
        ...ATTENDEES,
      ),
      event('all-day', 'DTSTART;VALUE=DATE:20261224', 'BEGIN:VALARM', 'TRIGGER:-PT1H', 'END:VALARM'),
      event('utc', 'DTSTART:20261102T100000Z', 'DURATION:PT90M', '%DESCRIPTION%'),
    )
    const file = Buffer.from(text.replace('%DESCRIPTION%', folded), 'latin1')
    expect(await imports.run(file)).toBe(
      '3 events read: 3 meetings created, 0 updated, 0 deleted, 0 unchanged, 0 skipped',
    )
    expect(await imports.run(file, NOW + 1_000_000)).toBe(
      '3 events read: 0 meetings created, 0 updated, 0 deleted, 3 unchanged, 0 skipped',
    )
    expect(await imports.meetingsOf('one')).toMatchObject([
      {
        start: { datetime: '2026-11-02T10:00:00.000+01:00', timezone: 'Europe/Berlin' },
        end: { datetime: '2026-11-02T11:00:00.000+01:00' },
        participants: [
          { email_address: 'ada@relata.dev', is_organizer: true, status: 'accepted' },
          { email_address: 'grace@navy.mil', is_organizer: false, status: 'tentative' },
          { name: 'Only a name', status: 'pending' },
        ],
      },
    ])
    expect(await imports.meetingsOf('all-day')).toMatchObject([
      {
        is_all_day: true,
        start: { date: '2026-12-24' },
        end: { date: '2026-12-25' },
        participants: [{ email_address: service.member.email_address, is_organizer: true }],
      },
    ])
    expect(await imports.meetingsOf('utc')).toMatchObject([
      { end: { datetime: '2026-11-02T11:30:00.000Z' }, description: expect.stringMatching(/^(?:Grüße ){39}Grüße$/) },
    ])
  })

  test('expands recurring events over a change of the clocks, without excluded and replaced occurrences', async () => {
    const weekly = event(
      'weekly',
      'DTSTART;TZID=Europe/Berlin:20261012T100000',
      'DTEND;TZID=Europe/Berlin:20261012T103000',
      'RRULE:FREQ=WEEKLY;COUNT=5',
      'EXDATE;TZID=Europe/Berlin:20261026T100000',
    )
    const moved = event(
      'weekly',
      'RECURRENCE-ID;TZID=Europe/Berlin:20261102T100000',
      'DTSTART;TZID=Europe/Berlin:20261103T150000',
      'DTEND;TZID=Europe/Berlin:20261103T153000',
    )
    const expected = [
      '2026-10-12T10:00:00.000+02:00',
      '2026-10-19T10:00:00.000+02:00',
      '2026-11-03T15:00:00.000+01:00',
      '2026-11-09T10:00:00.000+01:00',
    ]
    expect(await imports.run(calendar(weekly, moved))).toBe(
      '2 events read: 4 meetings created, 0 updated, 0 deleted, 0 unchanged, 0 skipped',
    )
    expect(await imports.startsOf('weekly')).toEqual(expected)
    expect(await imports.run(calendar(moved, weekly), NOW + 1_000_000)).toBe(
      '2 events read: 0 meetings created, 0 updated, 0 deleted, 4 unchanged, 0 skipped',
    )
  })

  const zone = ['BEGIN:VTIMEZONE', 'TZID:X', 'BEGIN:STANDARD', 'DTSTART:20200101T000000', 'TZOFFSETFROM:+0100']
  const rule = ['TZOFFSETTO:+0100', 'RRULE:FREQ=SECONDLY', 'END:STANDARD', 'END:VTIMEZONE']
  const endless: readonly (readonly [string, string])[] = [
    ['a duration', event('long', 'DTSTART:20261105T100000Z', 'DURATION:P99999999999999D')],
    ['a time zone', [...zone, ...rule, event('zoned', 'DTSTART;TZID=X:20261105T100000')].join('\r\n')],
  ]
  test.each(endless)('skips an event with %s that would take years to compute', async (_, text) => {
    expect(await imports.run(calendar(text))).toStartWith(
      '1 events read: 0 meetings created, 0 updated, 0 deleted, 0 unchanged, 1 skipped',
    )
  })

  test('expands without end only two years back and one ahead', async () => {
    await imports.run(calendar(event('monthly', 'DTSTART;VALUE=DATE:20100101', 'RRULE:FREQ=MONTHLY')))
    const starts = await imports.startsOf('monthly')
    expect([starts[0], starts.at(-1), starts.length]).toEqual(['2024-12-01', '2027-11-01', 36])
  })

  test('reads time zones of the file, and times without one', async () => {
    const timezone = [
      'BEGIN:VTIMEZONE',
      'TZID:W. Europe Standard Time',
      'BEGIN:STANDARD',
      'DTSTART:16010101T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
      'END:STANDARD',
      'BEGIN:DAYLIGHT',
      'DTSTART:16010101T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
      'END:DAYLIGHT',
      'END:VTIMEZONE',
    ]
    await imports.run(
      calendar(
        'X-WR-TIMEZONE:America/New_York',
        ...timezone,
        event('windows', 'DTSTART;TZID=W. Europe Standard Time:20260701T100000', 'DURATION:PT1H'),
        event('floating', 'DTSTART:20260701T100000', 'DURATION:PT1H'),
        event('unknown', 'DTSTART;TZID=Nowhere:20260701T100000', 'DURATION:PT1H'),
      ),
    )
    expect(await imports.startsOf('windows')).toEqual(['2026-07-01T08:00:00.000Z'])
    expect(await imports.startsOf('floating')).toEqual(['2026-07-01T10:00:00.000-04:00'])
    expect(await imports.startsOf('unknown')).toEqual(['2026-07-01T10:00:00.000-04:00'])
  })

  test('skips events in a time zone that cannot be used', async () => {
    const unused = (id: string, ...lines: string[]) => ['BEGIN:VTIMEZONE', `TZID:${id}`, ...lines, 'END:VTIMEZONE']
    const many = Array.from({ length: 2_000 }, () =>
      [...zone.slice(2), 'TZOFFSETTO:+0100', 'END:STANDARD'].join('\r\n'),
    )
    const text = calendar(
      ...unused('Large', ...many),
      ...unused('Unclosed', 'BEGIN:STANDARD'),
      event('large', 'DTSTART;TZID=Large:20260701T100000'),
      event('unclosed', 'DTSTART;TZID=Unclosed:20260701T100000'),
      event('other', 'DTSTART;TZID=Europe/Berlin:20260701T100000'),
    )
    expect(await imports.run(text)).toContain('3 events read: 1 meetings created')
    const problems = await imports.problems()
    expect(problems.map((line) => line.split(',').at(-1))).toEqual(Array(2).fill('Its times cannot be parsed.'))
  })

  const DAYS = Array.from({ length: 366 }, (_, index) => index + 1).join()

  test('goes on after events that cannot be imported, and lists them', async () => {
    const at = 'DTSTART:20260701T100000Z'
    const said = await imports.run(
      calendar(
        event('cancelled', at, 'STATUS:CANCELLED'),
        ['BEGIN:VEVENT', at, 'END:VEVENT'].join('\r\n'),
        event('never', at, 'RRULE:FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2'),
        event('weekdays', 'DTSTART:20260707T100000Z', 'RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=MO'),
        event('secondly', at, 'RRULE:FREQ=SECONDLY'),
        event('interval', at, 'RRULE:FREQ=DAILY;INTERVAL=2000000000'),
        event('undated', 'DTSTART:soon'),
        event('large', at, ...Array.from({ length: 5_000 }, () => `ATTENDEE;CN=${'x'.repeat(50)}:mailto:a@b.dev`)),
        event('excluded', at, `EXDATE:${'20260701T100000Z,'.repeat(2_000)}20260702T100000Z`),
        event('listed', at, `RRULE:FREQ=YEARLY;BYYEARDAY=${DAYS};BYSETPOS=${DAYS}`),
        event('unclosed', at, 'BEGIN:VALARM'),
        event(
          'ignored',
          at,
          ...Array.from({ length: 5_000 }, () => `X-LONG:${'x'.repeat(70)}`),
          `ATTACH:${'x'.repeat(70_000)}`,
        ),
        event('described', at, `DESCRIPTION:${'word '.repeat(20_000)}`),
        event('fine', at),
      ),
    )
    expect(said).toContain('14 events read: 3 meetings created, 0 updated, 0 deleted, 0 unchanged, 11 skipped')
    const problems = await imports.problems()
    expect(problems.map((line) => line.split(',').slice(4).join(','))).toEqual([
      'It was cancelled.',
      'It has no UID.',
      'Its recurrence rule has too few or too many occurrences.',
      'Its recurrence rule has too few or too many occurrences.',
      'It has more than 1100 occurrences.',
      'The interval of its recurrence rule is too long.',
      'Its times cannot be parsed.',
      'It is larger than 256 KiB.',
      'Its EXDATE is longer than 32 KiB.',
      'Its recurrence rule has too many values.',
      'It cannot be parsed.',
    ])
    expect(problems[1]).toStartWith('9,')
  })

  test('refuses a file that is no calendar', async () => {
    await expect(imports.run('Name,Website\r\n')).rejects.toThrow('not an iCalendar file')
    expect(await imports.run('')).toContain('0 events read')
  })

  test('gives the participants their interaction attributes', async () => {
    const values = { email_addresses: ['grace@navy.mil'] }
    const { body } = await service.request('POST', '/v2/objects/people/records', { data: { values } })
    await imports.run(calendar(event('interacts', 'DTSTART:20261001T100000Z', ...ATTENDEES)))
    const [queued] = await service.db.sql`
      select 1 from relata.interaction_refreshes where record_id = ${body.data.id.record_id}`
    expect(queued).toBeDefined()
  })
})
