/** A calendar at an address, which is read again at an interval. See docs/connected-accounts.md (Calendars). */

import { countMeetingsOf } from '#crm/meetings/synced-meetings'
import type { TemporaryFile } from '#crm/blobs/temporary-file'
import type { Micros } from '#base/timing/clock'
import { readLines } from '#transfer/mail-files/read-lines'
import { type AccountRun, type Connection, defineAccountKind } from '#transfer/connected-accounts/account'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import { calendarKind } from '#transfer/connected-accounts/calendars/calendar-kind'
import {
  EXPAND_AGAIN_MS,
  forgetOthers,
  openCalendarStore,
  saveCalendarProgress,
  storeEvents,
} from '#transfer/connected-accounts/calendars/calendar-store'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import { type AccountProgress, isCalendarAddress, type IcsSettings } from '#transfer/connected-accounts/settings'
import { type AccountRequest, type AccountResponse, basicAuthorization } from '#transfer/connected-accounts/web-request'

const POLL_MICROS = 15 * 60_000_000
const MAX_BYTES = 32_000_000
/** The beginning of a calendar that a check reads. */
const CHECKED_BYTES = 64 * 1024
/** Progress is stored after so many events. */
const EVENTS_AT_ONCE = 50
const MAX_PROBLEMS = 100
/** An ICS account has one calendar. */
const CALENDAR = 0

interface IcsState {
  readonly etag?: string | null
  readonly lastModified?: string | null
  /** As `inspect` makes it. */
  readonly digest?: string
  /** When all events were read last, in milliseconds since 1970. */
  readonly readAt?: number
}

export const icsKind = defineAccountKind<IcsSettings>({
  kind: 'ics',

  async check(servers, connection) {
    const { body } = await get(servers, connection, { signal: new AbortController().signal })
    let beginning = ''
    for await (const chunk of body) {
      beginning += new TextDecoder('latin1').decode(chunk)
      if (beginning.length > CHECKED_BYTES) break
    }
    if (!isCalendar(beginning)) throw new AccountProblem('no_calendar')
  },

  synchronise,

  ...calendarKind(() => Promise.resolve({})),
})

/** A byte order mark may stand before it. */
const isCalendar = (text: string): boolean => /^(?:\uFEFF|ï»¿)?\s*BEGIN:VCALENDAR/i.test(text)

async function get(
  servers: AccountServers,
  { secret }: Connection<IcsSettings>,
  request: Pick<AccountRequest, 'signal' | 'headers'>,
): Promise<AccountResponse> {
  const stored: unknown = secret
  const url = isCalendarAddress(stored) ? URL.parse(stored.url.replace(/^webcals?:/i, 'https:')) : null
  if (url === null) throw new AccountProblem('no_calendar')
  const [username, password] = [decode(url.username), decode(url.password)]
  url.username = ''
  url.password = ''
  url.hash = ''
  const authorization = basicAuthorization(username, password)
  const response = await servers.request({
    ...request,
    method: 'GET',
    url: url.href,
    maxBytes: MAX_BYTES,
    ...(username === '' ? {} : { signIn: { authorization, at: url.href } }),
  })
  if (response.status === 200 || response.status === 304) return response
  const isGone = [403, 404, 410].includes(response.status)
  throw new AccountProblem(isGone ? 'no_calendar' : 'unexpected_answer', String(response.status))
}

/** A text that is not percent-encoded stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function synchronise(run: AccountRun<IcsSettings>): Promise<Micros> {
  const { account, servers, signal, appContext } = run
  const nowMs = appContext.now() / 1000
  const state = account.syncState as IcsState // an earlier run stored it
  const isExpandedAgain = nowMs - (state.readAt ?? 0) > EXPAND_AGAIN_MS
  const headers = isExpandedAgain ? {} : validatorsOf(state)
  const response = await get(servers, account, { signal, headers })
  if (response.status === 200) {
    const file = await appContext.blobs.receive(response.body, MAX_BYTES)
    try {
      await readFile(run, file, { response, state, nowMs, isExpandedAgain })
    } finally {
      await file.remove()
    }
  }
  await run.markSynced()
  return appContext.now() + POLL_MICROS
}

const validatorsOf = ({ etag, lastModified }: IcsState): Record<string, string> => ({
  ...(etag == null ? {} : { 'If-None-Match': etag }),
  ...(lastModified == null ? {} : { 'If-Modified-Since': lastModified }),
})

interface ReceivedFile {
  readonly response: AccountResponse
  readonly state: IcsState
  readonly nowMs: number
  readonly isExpandedAgain: boolean
}

async function readFile(
  run: AccountRun<IcsSettings>,
  file: TemporaryFile,
  { response: { headers }, state, nowMs, isExpandedAgain }: ReceivedFile,
): Promise<void> {
  const lines = () => readLines(Bun.file(file.path).stream(), run.signal)
  const { total, digest } = await inspect(lines)
  const validators = { etag: headers.get('etag'), lastModified: headers.get('last-modified'), digest }
  const store = await openCalendarStore(run)
  let { progress } = run.account
  if (digest === state.digest && !isExpandedAgain)
    return saveCalendarProgress(store, progress, { ...validators, readAt: state.readAt })
  let [events, created] = [0, 0]
  const read = await storeEvents(store, {
    calendar: CALENDAR,
    lines,
    async onEvent(createdOfEvent) {
      created += createdOfEvent
      if (++events % EVENTS_AT_ONCE !== 0) return
      progress = { ...progress, read: events, total, stored: progress.stored + created }
      created = 0
      await saveCalendarProgress(store, progress)
    },
  })
  await forgetOthers(store, CALENDAR, read)
  const stored = await countMeetingsOf(run.appContext.db.sql, run.account)
  await saveCalendarProgress(
    store,
    { ...complete(progress, read.problems), read: events, total, stored },
    { ...validators, readAt: nowMs },
  )
}

const complete = (progress: AccountProgress, problems: AccountProgress['problems']): AccountProgress => ({
  ...progress,
  phase: 'complete',
  problem_count: problems.length,
  problems: problems.slice(-MAX_PROBLEMS),
})

interface InspectedFile {
  /** The number of events. */
  readonly total: number
  /** The SHA-256 of all lines but `DTSTAMP`, into which some servers write the time of the answer. */
  readonly digest: string
}

/** Throws `AccountProblem` for a file that is no calendar or that breaks off, of which no event counts as deleted. */
async function inspect(lines: () => AsyncIterable<readonly Uint8Array[]>): Promise<InspectedFile> {
  const hasher = new Bun.CryptoHasher('sha256')
  let [total, first, last] = [0, '', '']
  for await (const piece of lines())
    for (const line of piece) {
      if (line.length === 0) continue
      const text = line.length > 100 ? '' : Buffer.from(line).toString('latin1').trim().toUpperCase()
      if (first === '') first = text || '-'
      if (text === 'BEGIN:VEVENT') total++
      if (!text.startsWith('DTSTAMP')) hasher.update(line).update('\n')
      if (text !== '') last = text
    }
  if (!isCalendar(first)) throw new AccountProblem('no_calendar')
  if (last !== 'END:VCALENDAR') throw new AccountProblem('connection_lost', 'The calendar has no end.')
  return { total, digest: hasher.digest('hex') }
}
