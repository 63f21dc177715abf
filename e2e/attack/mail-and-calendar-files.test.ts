/** Email and calendar files that are large, malformed, or expensive to parse. See docs/import.md (Limits of messages and events). */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { numRuns, seed } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const KB = 1024
const MB = 1024 * KB

/** The beginning of a text that repeats `part`, with `size` characters. */
const filled = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size)

const SEPARATOR = 'From a@b.dev Fri Jan  3 12:08:34 2025\n'
const DATED = 'Date: Thu, 1 Jan 2026 00:00:00 +0000\n'

const mail = (headers: string): string => `From: a@b.dev\n${DATED}${headers}\n\nbody\n`

const MAIL_FILES: Readonly<Record<string, () => string | Uint8Array>> = {
  'messages without headers': () => filled(`${SEPARATOR}\n`, 500 * KB),
  'lines of separators': () => filled(SEPARATOR, MB),
  'blank lines': () => SEPARATOR + filled('\n', MB),
  'blank lines of two characters': () => SEPARATOR + filled('\r\n', 2 * MB),
  'messages with a subject alone': () => filled(`${SEPARATOR}Subject: x\n\n`, 500 * KB),
  'one message of headers alone': () => SEPARATOR + filled('X-Header: value\n', 6 * MB),
  'one message of short lines': () => SEPARATOR + filled('a\n', 2 * MB),
  'one header of short folded lines': () => `${SEPARATOR}To: a@b.dev\n${filled(' \n', 2 * MB)}\n\n`,
  'one line': () => `${SEPARATOR}Subject: ${filled('x', 8 * MB)}`,
  'lines that are nearly separators': () => SEPARATOR + filled(`\n${'From '.padEnd(900, '1:00 ')}\n`, MB),
  'one line in a body': () => `${SEPARATOR}Subject: x\n\n${filled('x', 8 * MB)}`,
  'zeros after a message': () => `${SEPARATOR}Subject: x\n\n${filled('\0', 4 * MB)}`,
  'bytes that are not text': () =>
    Buffer.concat([
      Buffer.from(`${SEPARATOR}From: `),
      new Uint8Array(2 * MB).map((_, n) => ((n * 97) % 256) + (n % 97 === 0 ? 10 : 0)),
    ]),
  'messages with 500 recipients': () =>
    Array.from(
      { length: 12 },
      (_, n) =>
        SEPARATOR +
        mail(
          `To: ${Array.from({ length: 500 }, (__, to) => `"${'Ä'.repeat(200)}" <a${n}-${to}@b${to}.dev>`).join(',\n ')}`,
        ),
    ).join('\n'),
  'messages with many references': () =>
    Array.from(
      { length: 250 },
      (_, n) =>
        SEPARATOR + mail(`References: ${Array.from({ length: 100 }, (__, id) => `<${n}.${id}@b.dev>`).join('\n ')}`),
    ).join('\n'),
  'parts within parts': () =>
    SEPARATOR +
    mail('Content-Type: multipart/mixed; boundary=b0') +
    Array.from({ length: 20_000 }, (_, n) => `--b${n}\nContent-Type: multipart/mixed; boundary=b${n + 1}\n\n`).join(''),
  'boundaries alone': () => `${SEPARATOR}${mail('Content-Type: multipart/mixed; boundary=b')}${filled('--b\n', MB)}`,
}

/** Texts of headers that repeat one part. */
const HEADER_PARTS: Readonly<Record<string, readonly string[]>> = {
  To: [
    'a@b.dev, ',
    '"A" <a@b.dev>, ',
    '"a" ',
    '"',
    '(',
    '(a)',
    '<',
    'a ',
    '@',
    'a@',
    'a:',
    ':',
    'a:b@c.dev;,',
    'a:b:<c>;',
    '\\"',
    '=?utf-8?Q?a?= <a@b.dev>, ',
    '=?utf-8?Q?a=3Ab=40c.dev=3B?= ',
    '=?utf-8?Q?=3C?= ',
  ],
  Subject: ['=?utf-8?Q?a?= ', '=?utf-8?B?YQ==?= ', '=?iso-2022-jp?B?YQ==?= ', '=?', '=?utf-8?Q?', ' ', '\n a', '\n \t'],
  References: ['<a@b> ', '<', '>', '<<a>'],
  'Message-ID': ['<', 'a@', '<a@b>'],
  Date: ['Thu, ', '1 ', '('],
  Received: ['(', ';', 'from x by y; '],
}

function* mailWithHeaders(): Generator<readonly [about: string, file: string]> {
  for (const [name, parts] of Object.entries(HEADER_PARTS)) {
    for (const part of parts) {
      yield [`one ${name} of ${JSON.stringify(part)}`, mail(`${name}: ${filled(part, 100 * KB)}`)]
    }
    const each = parts.map((part) => SEPARATOR + mail(`${name}: ${filled(part, 20 * KB)}`))
    yield [`${name} of many kinds`, each.join('\n')]
  }
}

const calendar = (...parts: string[]): string => ['BEGIN:VCALENDAR', ...parts, 'END:VCALENDAR', ''].join('\r\n')

const event = (...lines: string[]): string =>
  ['BEGIN:VEVENT', 'UID:hostile', 'DTSTART:20260105T100000Z', ...lines, 'END:VEVENT'].join('\r\n')

const repeated = (count: number, make: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('\r\n')

const timezone = (name: string, ...parts: string[]): string =>
  ['BEGIN:VTIMEZONE', `TZID:${name}`, ...parts, 'END:VTIMEZONE'].join('\r\n')

const observance = (start: string, ...lines: string[]): string =>
  ['BEGIN:STANDARD', `DTSTART:${start}`, 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', ...lines, 'END:STANDARD'].join(
    '\r\n',
  )

const SINCE_1601 = observance('16010101T020000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3')

const CALENDAR_FILES: Readonly<Record<string, () => string>> = {
  'events without UID': () => calendar(filled('BEGIN:VEVENT\r\nEND:VEVENT\r\n', 400 * KB)),
  'events that cannot be parsed': () => calendar(repeated(4_000, (n) => event(`UID;X=${n}`))),
  'blank lines': () => `BEGIN:VCALENDAR\n${filled('\n', MB)}`,
  'short lines': () => calendar(filled('a\n', MB)),
  'lines that continue one line': () => calendar(event(`SUMMARY:x\r\n${filled(' \r\n', MB)}`)),
  'one line': () => calendar(event(`DESCRIPTION:${filled('x', 6 * MB)}`)),
  'lines of other properties': () => calendar(event(filled('X-A:b\r\n', MB))),
  'alarms within alarms': () => calendar(event(filled('BEGIN:VALARM\r\n', MB))),
  alarms: () => calendar(event(filled('BEGIN:VALARM\r\nTRIGGER:-PT1H\r\nEND:VALARM\r\n', MB))),
  'calendars within calendars': () => filled('BEGIN:VCALENDAR\r\n', MB),
  attendees: () => calendar(event(repeated(4_000, (n) => `ATTENDEE;CN="${'a'.repeat(20)}":mailto:a${n}@b.dev`))),
  'attendees with many parameters': () => calendar(event(`ATTENDEE;${filled('X=y;', 200 * KB)}Z=z:mailto:a@b.dev`)),
  'attendees with quoted parameters': () =>
    calendar(event(`ATTENDEE;MEMBER=${filled('"mailto:a@b.dev",', 200 * KB)}"mailto:a@b.dev":mailto:a@b.dev`)),
  'excluded times of one line': () =>
    calendar(event('RRULE:FREQ=DAILY', `EXDATE:${Array.from({ length: 14_000 }, (_, n) => time(n)).join()}`)),
  'excluded times of many lines': () =>
    calendar(
      event(
        'RRULE:FREQ=DAILY',
        repeated(9_000, (n) => `EXDATE:${time(n)}`),
      ),
    ),
  'added times of one line': () => calendar(event(`RDATE:${Array.from({ length: 14_000 }, (_, n) => time(n)).join()}`)),
  'added periods': () =>
    calendar(event(`RDATE;VALUE=PERIOD:${Array.from({ length: 8_000 }, (_, n) => `${time(n)}/PT1H`).join()}`)),
  'many rules': () => calendar(event(repeated(4_000, () => 'RRULE:FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2'))),
  'many daily rules': () => calendar(event(repeated(4_000, (n) => `RRULE:FREQ=DAILY;INTERVAL=${n + 1}`))),
  'a long description in 1,000 occurrences with 500 attendees': () =>
    calendar(
      event(
        'RRULE:FREQ=DAILY;COUNT=60',
        `DESCRIPTION:${filled('text ', 60 * KB)}`,
        repeated(500, (n) => `ATTENDEE;CN="${'Ä'.repeat(200)}":invalid:${n}`),
      ),
    ),
  'a long duration of each occurrence': () => calendar(event('RRULE:FREQ=DAILY', 'DURATION:P36000D')),
  'occurrences of one event': () =>
    calendar(repeated(200, (n) => event(`RECURRENCE-ID:${time(n)}`, 'STATUS:CANCELLED'))),
  'time zones': () =>
    calendar(
      repeated(250, (n) => timezone(`Z${n}`, SINCE_1601, SINCE_1601)),
      event(),
    ),
  'events with times of many time zones': () =>
    calendar(
      repeated(190, (n) => timezone(`Z${n}`, SINCE_1601, SINCE_1601)),
      event(repeated(190, (n) => `EXDATE;TZID=Z${n}:20260101T100000`)),
    ),
  'events with times of unknown time zones': () =>
    calendar(
      repeated(190, (n) => timezone(`Z${n}`)),
      event(
        'RRULE:FREQ=DAILY;COUNT=5',
        repeated(5_000, (n) => `EXDATE;TZID=Y${n}:20260101T100000`),
      ),
    ),
  'a time zone with many rules': () =>
    calendar(
      timezone(
        'Z',
        repeated(1_500, () => SINCE_1601),
      ),
      repeated(50, (n) => event(`DTEND;TZID=Z:${time(n).slice(0, -1)}`)),
    ),
  'a time zone of the first century, in the last one': () =>
    calendar(
      timezone('Z', observance('00010101T020000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3')),
      repeated(50, (n) => event(`DTEND;TZID=Z:99${10 + n}0101T100000`)),
    ),
  'time zones of which each is large': () =>
    calendar(
      repeated(15, (n) => timezone(`Z${n}`, filled('RDATE:20260101T100000\r\n', 200 * KB))),
      repeated(300, () => event()),
    ),
}

const time = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '')

/** Rules that match seldom or never, that have long lists, or that begin long ago. */
const RULES: readonly string[] = [
  'FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2',
  'FREQ=SECONDLY',
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;BYSECOND=61',
  'FREQ=HOURLY;BYMONTH=1',
  'FREQ=DAILY;INTERVAL=1000;BYDAY=MO',
  'FREQ=WEEKLY;INTERVAL=1000;BYMONTH=13',
  'FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1',
  'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=40',
  `FREQ=MONTHLY;BYDAY=${filled('5MO,', 2 * KB)}5MO;BYMONTHDAY=30;BYMONTH=2`,
  `FREQ=MONTHLY;BYDAY=${filled('5MO,', 2 * KB)}5MO;BYSETPOS=60`,
  `FREQ=MONTHLY;BYMONTHDAY=${filled('31,', 50 * KB)}31;BYMONTH=2`,
  'FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=30;BYMONTH=2',
  'FREQ=YEARLY;BYWEEKNO=53',
  'FREQ=YEARLY;BYWEEKNO=1;BYMONTHDAY=1',
  'FREQ=YEARLY;BYYEARDAY=366;INTERVAL=999',
  'FREQ=YEARLY;BYYEARDAY=366;BYDAY=MO',
  `FREQ=YEARLY;BYYEARDAY=${Array.from({ length: 366 }, (_, n) => n + 1).join()};BYDAY=MO,TU,WE`,
  `FREQ=YEARLY;BYDAY=${filled('MO,', 50 * KB)}MO;BYMONTHDAY=31;BYMONTH=4`,
  `FREQ=YEARLY;BYMONTH=${filled('2,', 2 * KB)}2;BYMONTHDAY=${filled('30,', 2 * KB)}30`,
  `FREQ=DAILY;BYHOUR=${filled('1,', 50 * KB)}1`,
  `FREQ=WEEKLY;BYDAY=${filled('MO,', 50 * KB)}MO`,
  'FREQ=DAILY;COUNT=999999999999',
  'FREQ=DAILY;INTERVAL=2000000000',
  'FREQ=DAILY;BYHOUR=,;BYDAY=,',
  'FREQ=NEVER',
]

/** Members of rules and values for them, from which rules are made. */
const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const ruleParts: Readonly<Record<string, fc.Arbitrary<string | number>>> = {
  BYSECOND: fc.integer({ min: 0, max: 60 }),
  BYMINUTE: fc.integer({ min: 0, max: 59 }),
  BYHOUR: fc.integer({ min: 0, max: 23 }),
  BYDAY: fc
    .tuple(
      fc.constantFrom('', '1', '2', '5', '-1', '-5', '9'),
      fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'),
    )
    .map((parts) => parts.join('')),
  BYMONTHDAY: fc.integer({ min: -31, max: 31 }),
  BYYEARDAY: fc.integer({ min: -366, max: 366 }),
  BYWEEKNO: fc.integer({ min: -53, max: 53 }),
  BYMONTH: fc.integer({ min: 1, max: 12 }),
  BYSETPOS: fc.integer({ min: -366, max: 366 }),
}

const randomRule = fc
  .record({
    frequency: fc.constantFrom(...FREQUENCIES),
    interval: fc.constantFrom(1, 1, 2, 7, 400, 1000),
    parts: fc.record(
      Object.fromEntries(
        Object.entries(ruleParts).map(([name, value]) => [
          name,
          fc.oneof(
            { weight: 4, arbitrary: fc.constant([]) },
            { weight: 2, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }) },
            { weight: 1, arbitrary: fc.array(value, { minLength: 10, maxLength: 400, size: 'max' }) },
          ),
        ]),
      ),
    ),
  })
  .map(({ frequency, interval, parts }) =>
    [
      `FREQ=${frequency};INTERVAL=${interval}`,
      ...Object.entries(parts).flatMap(([name, values]) => (values.length === 0 ? [] : [`${name}=${values.join()}`])),
    ].join(';'),
  )

const STARTS = [
  'DTSTART:00010101T000000Z',
  'DTSTART:16010101T020000',
  'DTSTART;VALUE=DATE:20240229',
  'DTSTART:20260105T100000Z',
]

/** Pieces of files, of which a random file consists. */
const PIECES: readonly string[] = [
  '\n',
  '\r\n',
  ' ',
  '\t',
  '\0',
  ':',
  ';',
  ',',
  '"',
  '\\',
  '<',
  '>',
  '(',
  '=?utf-8?B?YQ==?=',
  'a@b.dev',
  '\nTo: ',
  '\nFrom: ',
  '\nSubject: ',
  '\nDate: ',
  `\n\n${SEPARATOR}`,
  '\nBEGIN:VEVENT\n',
  '\nEND:VEVENT\n',
  '\nBEGIN:VTIMEZONE\n',
  '\nEND:VTIMEZONE\n',
  '\nUID:x\n',
  '\nRRULE:FREQ=DAILY\n',
  '\nDTSTART:20260105T100000Z\n',
  '\nDTSTART;TZID=',
  '\nEXDATE:',
  '\nATTENDEE;CN=',
  'Ä',
  'text',
]

const randomFile = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(1, 1, 1, 2, 100, 30_000)), {
    minLength: 5,
    maxLength: 40,
  })
  .map((runs) => runs.map(([piece, count]) => piece.repeat(count)).join(''))

function upload(about: string, fileName: string, body: string | Uint8Array): HostileRequest {
  const { ids, browser } = attacked()
  return {
    about,
    method: 'POST',
    path: `/console/api/workspaces/${ids.workspace}/file-imports?file_name=${fileName}`,
    form: 'any',
    headers: { ...browser.headers, 'Content-Type': 'application/octet-stream' },
    body,
    statuses: [200],
    problemOf: (_, text) => {
      const last = JSON.parse(text.trim().split('\n').at(-1) ?? '')
      const isRefused = last.state === 'failed' && last.failure.startsWith('The file does not begin')
      return last.state === 'finished' || isRefused ? undefined : JSON.stringify(last).slice(0, 300)
    },
  }
}

/** A member imports one file at a time, so the files are sent one after another. */
async function faultsOfFiles(requests: Iterable<HostileRequest>): Promise<string[]> {
  const faults: string[] = []
  for (const request of requests) faults.push(...(await attacked().faultsOf([request])))
  return faults
}

test(
  'no email file blocks the event loop',
  async () => {
    const files = Object.entries(MAIL_FILES).map(([about, make]) => upload(about, 'x.mbox', make()))
    expect(await faultsOfFiles(files)).toEqual([])
  },
  TIME,
)

test(
  'no header blocks the event loop',
  async () => {
    const files = [...mailWithHeaders()].map(([about, file]) =>
      upload(about, file.startsWith(SEPARATOR) ? 'x.mbox' : 'x.eml', file),
    )
    expect(await faultsOfFiles(files)).toEqual([])
  },
  TIME,
)

test(
  'no calendar file blocks the event loop',
  async () => {
    const files = Object.entries(CALENDAR_FILES).map(([about, make]) => upload(about, 'x.ics', make()))
    expect(await faultsOfFiles(files)).toEqual([])
  },
  TIME,
)

test(
  'no recurrence rule blocks the event loop, in an event and in a time zone',
  async () => {
    const rules = [...RULES, ...fc.sample(randomRule, { numRuns: numRuns(20), seed })]
    const files = rules.flatMap((rule) => {
      const events = STARTS.map((start) => event(start, 'DURATION:PT1H', 'STATUS:CANCELLED', `RRULE:${rule}`))
      const zone = timezone('Z', observance('16010101T020000', `RRULE:${rule}`))
      const about = rule.slice(0, 150)
      return [
        upload(`events with ${about}`, 'x.ics', calendar(...events)),
        upload(`a time zone with ${about}`, 'x.ics', calendar(zone, event('DTEND;TZID=Z:20260105T120000'))),
      ]
    })
    expect(await faultsOfFiles(files)).toEqual([])
  },
  TIME,
)

test(
  'no random file blocks the event loop',
  async () => {
    const files = fc
      .sample(randomFile, { numRuns: numRuns(8), seed })
      .flatMap((text) => [
        upload(`mail of ${JSON.stringify(text.slice(0, 100))}`, 'x.mbox', `${SEPARATOR}${text}`),
        upload(`calendar of ${JSON.stringify(text.slice(0, 100))}`, 'x.ics', `BEGIN:VCALENDAR\n${text}`),
      ])
    expect(await faultsOfFiles(files)).toEqual([])
  },
  TIME,
)
