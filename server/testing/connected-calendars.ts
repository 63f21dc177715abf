/** Connected calendars of tests: the server, the worker, and events. */

import { afterEach, beforeEach, expect } from 'bun:test'
import { type CalendarServer, startCalendarServer } from '../../e2e/support/calendar-server'
import type { RunningQueueWorker } from '#engine/queue'
import { accountWorker } from '#transfer/connected-accounts/worker'
import type { ListedMeeting } from './calendars'
import type { Person } from './people'
import type { TestService } from './service'
import { until } from './until'

/** Starts a calendar server and the worker before each test, and removes all accounts of the people after it. */
export function useCalendars(
  service: TestService,
  people: readonly Person[],
  account: (server: CalendarServer) => object,
) {
  const state = {} as { server: CalendarServer; worker: RunningQueueWorker } // has its members when the hook below has ended
  const [first] = people as readonly [Person] // the tests give one
  const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`
  const startWorker = () =>
    accountWorker({ renewMs: 50 }).start({
      ...service.appContext,
      mail: { ...service.appContext.mail, isDelivered: true },
    })
  beforeEach(() => {
    Object.assign(state, { server: startCalendarServer(), worker: startWorker() })
  })
  afterEach(async () => {
    for (const person of people)
      for (const { id } of (await person.ask('GET', accounts())).body.data)
        await person.ask('DELETE', `${accounts()}/${id}`)
    state.worker.wake()
    await until(async () => (await service.db.sql`select 1 from relata.connected_accounts`).length === 0)
    expect(await service.db.sql`select 1 from relata.synced_meetings`).toHaveLength(0)
    await service.db.sql`delete from relata.meetings`
    await service.db.sql`delete from relata.excluded_addresses`
    await state.worker.stop()
    state.server.stop()
  })
  const accountOf = async (person = first) => (await person.ask('GET', accounts())).body.data[0]
  return {
    state,
    accounts,
    account: accountOf,
    async restartWorker() {
      await state.worker.stop()
      state.worker = startWorker()
    },
    async connect(changes: object = {}, person = first) {
      const { body, status } = await person.ask('POST', accounts(), {
        email_address: 'ada@lovelace.org',
        sharing: 'everything',
        history_days: null,
        ...account(state.server),
        ...changes,
      })
      state.worker.wake()
      return { status, ...body, ...body.data }
    },
    untilRead: (person = first) =>
      until(async () => {
        const found = await accountOf(person)
        return found?.progress.phase === 'complete' && found.synced_at !== null
      }),
    /** Reads the calendars now, and waits until they were read. */
    async readAgain(person = first) {
      const before = await accountOf(person)
      await person.ask('POST', `${accounts()}/${before.id}/read`)
      state.worker.wake()
      await until(async () => (await accountOf(person)).synced_at > before.synced_at)
    },
    /** Reads the calendars until the account has failed. */
    async untilFailed(isSo: (account: { state: string; error: { code: string } | null }) => boolean) {
      const read = async (id: string) => first.ask('POST', `${accounts()}/${id}/read`)
      await read((await accountOf()).id)
      await until(async () => {
        const found = await accountOf()
        if (isSo(found)) return true
        if (found.error?.next_attempt_at != null) await read(found.id)
        state.worker.wake()
        return false
      })
    },
    async meetings(person = first): Promise<ListedMeeting[]> {
      return (await person.ask('GET', '/console/v2/meetings?limit=200')).body.data
    },
    async titles(person = first): Promise<string[]> {
      const { body } = await person.ask('GET', '/console/v2/meetings?limit=200')
      return body.data.map(({ title }: ListedMeeting) => title).toSorted()
    },
  }
}

const NOW = Date.now()
export const day = (days: number) => new Date(NOW + days * 86_400_000)

const time = (at: Date) => at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

/** The lines of an event of an hour, tomorrow unless said otherwise. */
export const hour = (at = day(1)) => [`DTSTART:${time(at)}`, `DTEND:${time(new Date(at.getTime() + 3_600_000))}`]

/** The line of an event that was changed so many minutes after another one. */
export const changed = (minutes: number) => `LAST-MODIFIED:${time(new Date(Date.UTC(2026, 0, 1, 0, minutes)))}`

/** The lines of the participants of an event of Ada. */
export const attendees = (...addresses: string[]) => [
  'ORGANIZER:mailto:ada@lovelace.org',
  ...addresses.map((address) => `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${address}`),
]
export const GRACE = attendees('grace@navy.mil')
