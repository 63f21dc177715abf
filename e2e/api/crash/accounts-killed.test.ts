/** The service is killed while it reads an email account and calendars. The next process goes on: nothing is lost, and nothing is stored twice. */

import { afterAll, expect, test } from 'bun:test'
import { startCalendarServer } from '../../support/calendar-server'
import { startImapServer } from '../../support/imap-server'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { until } from '../../support/until'

const ADMIN = { email_address: 'ada@lovelace.org', password: 'notes on the engine' }
const MESSAGES = 1_600
const EVENTS = 150

const mail = startImapServer()
const calendars = startCalendarServer()
afterAll(() => {
  mail.stop()
  calendars.stop()
})

const service = forThisFile(() =>
  startService({
    RELATA_ALLOW_PRIVATE_TARGETS: '1',
    RELATA_ADMIN_EMAIL: ADMIN.email_address,
    RELATA_ADMIN_PASSWORD: ADMIN.password,
  }),
)

const time = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
const event = (uid: string) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `SUMMARY:${uid}`,
  `DTSTART:${time(Date.now() + 86_400_000)}`,
  'DURATION:PT1H',
  'ORGANIZER:mailto:ada@lovelace.org',
  'ATTENDEE:mailto:grace@navy.mil',
  'END:VEVENT',
]
const calendar = (events: readonly string[][]) =>
  ['BEGIN:VCALENDAR', ...events.flat(), 'END:VCALENDAR', ''].join('\r\n')

/** Signs in at the console and connects an account. */
async function connect(body: object): Promise<void> {
  const send = (method: string, path: string, headers: Record<string, string>, sent?: object) =>
    fetch(service().url + path, {
      method,
      headers: { 'Content-Type': 'application/json', Origin: service().url, ...headers },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
  const signedIn = await send('POST', '/console/api/sign-in', {}, ADMIN)
  const Cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ') // prettier-ignore
  const { data } = await (await send('GET', '/console/api/session', { Cookie })).json()
  const path = `/console/api/workspaces/${data.workspaces[0].id}/connected-accounts`
  const account = { email_address: 'ada@lovelace.org', sharing: 'everything', history_days: null, ...body }
  const { status } = await send('POST', path, { Cookie, 'X-CSRF-Token': data.csrf_token }, account)
  expect(status).toBe(200)
}

/** The texts of all items of a list. */
async function listAll(path: string, textOf: (item: Record<string, string>) => string | undefined): Promise<string[]> {
  const texts: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await service().request('GET', `${path}?limit=50${cursor === '' ? '' : `&cursor=${cursor}`}`)
    texts.push(...body.data.map(textOf))
    cursor = body.pagination.next_cursor
  }
  return texts
}

/** Kills the service twice while it reads, and expects each item once. */
async function expectEachOnce(list: () => Promise<string[]>, count: number): Promise<void> {
  for (const share of [0.1, 0.5]) {
    await until(async () => (await list()).length >= count * share)
    await service().crash()
  }
  await until(async () => (await list()).length >= count)
  const found = await list()
  expect([found.length, new Set(found).size]).toEqual([count, count])
}

test('an email account: each message is one email after two kills', async () => {
  for (let index = 0; index < MESSAGES; index++) {
    const lines = [
      'From: grace@navy.mil',
      'To: ada@lovelace.org',
      `Subject: message-${index}`,
      `Message-ID: <${index}@navy.mil>`,
    ]
    mail.add('INBOX', [...lines, `Date: ${new Date(Date.now() - index * 60_000).toUTCString()}`, '', ''].join('\r\n'))
  }
  const settings = { host: '127.0.0.1', port: mail.port, security: 'none', user: 'ada' }
  await connect({ kind: 'imap', settings, secret: { password: 'secret' } })
  await expectEachOnce(() => listAll('/v2/emails', ({ subject_line }) => subject_line), MESSAGES)
})

const titles = (start: string) => async () =>
  (await listAll('/v2/meetings', ({ title }) => title)).filter((title) => title.startsWith(start))

test('the calendars of a CalDAV server: each event is one meeting after two kills', async () => {
  for (let index = 0; index < EVENTS; index++) calendars.add('work', `${index}.ics`, calendar([event(`dav-${index}`)]))
  const settings = { url: `${calendars.url}/`, user: 'ada' }
  await connect({ kind: 'caldav', settings, secret: { password: 'secret' } })
  await expectEachOnce(titles('dav-'), EVENTS)
})

test('a calendar at an address: each event is one meeting after two kills', async () => {
  calendars.ics = calendar(Array.from({ length: EVENTS }, (_, index) => event(`ics-${index}`)))
  await connect({ kind: 'ics', settings: { name: 'Team' }, secret: { url: `${calendars.url}/calendar.ics` } })
  await expectEachOnce(titles('ics-'), EVENTS)
})
