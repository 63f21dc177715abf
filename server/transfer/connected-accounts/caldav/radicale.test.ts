/** Calendars of a Radicale, where it is installed, with a password and with the tokens of a provider. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CLIENT } from '../../../../e2e/support/openid-provider'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { calendar, event } from '#testing/calendars'
import { changed, day, GRACE, hour, useCalendars } from '#testing/connected-calendars'
import { type FalseProvider, startFalseProvider } from '#testing/false-provider'
import { RADICALE, startRadicale } from '#testing/radicale'
import { usePerson, useTestService } from '#testing/use-service'
import { createAccountServers } from '#transfer/connected-accounts/servers'

let provider: FalseProvider
// The service is made with the address of the provider.
beforeAll(async () => {
  provider = await startFalseProvider()
})
afterAll(() => provider.close())
const service = useTestService({}, () => {
  const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret }
  const other = { ...client, issuer: provider.issuer, name: 'Navy', scope: 'mail', calendarScope: 'calendars' }
  const targets = createTargetPolicy({ allowPrivate: true })
  return { accountServers: createAccountServers({ targets, allowPrivate: true, mailClients: { other } }) }
})
const ada = usePerson(service)
const { accounts, connect, untilRead, readAgain, untilFailed, titles, meetings, account } = useCalendars(
  service,
  [ada],
  () => ({
    kind: 'caldav',
  }),
)

if (RADICALE === null) console.warn('Radicale is not installed, so no calendar of it is read: apt-get install radicale')

describe.if(RADICALE !== null)('a calendar of Radicale', () => {
  test('is read, also what changes, moves, recurs and goes, until the password changes', async () => {
    const radicale = await startRadicale('secret')
    try {
      await radicale.makeCalendar('work')
      for (let index = 0; index < 60; index++)
        await radicale.put('work', `${index}.ics`, calendar(event(`event-${index}`, ...hour(), ...GRACE)))
      const weekly = calendar(event('weekly', ...hour(day(2)), 'RRULE:FREQ=WEEKLY;COUNT=4', ...GRACE))
      await radicale.put('work', 'weekly.ics', weekly)
      await connect({ settings: { url: `${radicale.url}/`, user: 'ada' }, secret: { password: 'secret' } })
      await untilRead()
      expect((await titles()).length).toBe(64)
      expect((await account()).progress).toMatchObject({ read: 61, total: 61, stored: 64, problem_count: 0 })
      await radicale.remove('work', '0.ics')
      await radicale.put('work', '1.ics', calendar(event('event-1', changed(2), ...hour(day(50)), ...GRACE)))
      await radicale.put('work', 'new.ics', calendar(event('new', ...hour(), ...GRACE)))
      const fewer = calendar(event('weekly', changed(2), ...hour(day(2)), 'RRULE:FREQ=WEEKLY;COUNT=2', ...GRACE))
      await radicale.put('work', 'weekly.ics', fewer)
      await readAgain()
      const after = await titles()
      expect([after.length, after.includes('event-0'), after.includes('new')]).toEqual([62, false, true])
      expect((await meetings()).at(-1)?.title).toBe('event-1')
      radicale.setPassword('changed')
      await untilFailed(({ error }) => error?.code === 'sign_in_refused')
    } finally {
      await radicale.stop()
    }
  })

  test('is read with a token, until the provider gives no other one', async () => {
    const radicale = await startRadicale('secret')
    try {
      Object.assign(radicale, { token: 'first' })
      provider.refreshToken = 'r1'
      await radicale.makeCalendar('work')
      await radicale.put('work', 'one.ics', calendar(event('one', ...hour(), ...GRACE)))
      const settings = { url: `${radicale.tokenUrl}/`, user: 'ada' }
      const body = { kind: 'caldav', provider: 'other', email_address: 'ada@lovelace.org', settings, sharing: 'everything', history_days: null } // prettier-ignore
      const begun = await ada.ask('POST', `${accounts()}/sign-in`, body)
      const query = await provider.signIn(begun.body.data.url, 'ada')
      const { status } = await ada.ask('POST', `${accounts()}/signed-in`, { query })
      expect(status).toBe(200)
      await untilRead()
      expect(await titles()).toEqual(['one'])
      await radicale.put('work', 'two.ics', calendar(event('two', ...hour(), ...GRACE)))
      await readAgain()
      expect(await titles()).toEqual(['one', 'two'])
      radicale.token = 'revoked'
      await untilFailed(({ state }) => state === 'sign-in-required')
    } finally {
      await radicale.stop()
    }
  })
})
