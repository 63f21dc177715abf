/** Calendars of a Radicale, where it is installed. */

import { describe, expect, test } from 'bun:test'
import { calendar, event } from '#testing/calendars'
import { changed, day, GRACE, hour, useCalendars } from '#testing/connected-calendars'
import { RADICALE, startRadicale } from '#testing/radicale'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const ada = usePerson(service)
const { connect, untilRead, readAgain, untilFailed, titles, meetings, account } = useCalendars(service, [ada], () => ({
  kind: 'caldav',
}))

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
})
