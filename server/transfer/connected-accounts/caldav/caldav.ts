/** Calendars at a CalDAV server. See docs/connected-accounts.md (Calendars). */

import { defineAccountKind, type AccountRun } from '#transfer/connected-accounts/account'
import { calendarKind } from '#transfer/connected-accounts/calendars/calendar-kind'
import type { CalDavSettings, AccountProgress } from '#transfer/connected-accounts/settings'
import {
  createDavClient,
  CALDAV,
  DAV,
  type DavClient,
  DavRefusal,
  textOfElement,
  findCalendars,
  asProblem,
  type FoundCalendar,
} from './client'
import {
  parseState,
  readAgain,
  type CalDavState,
  type CalendarState,
  replaceCalendar,
  withCalendars,
  clearEtags,
  countEvents,
  deleteEvents,
  listEtags,
  saveEtags,
} from './sync-state'
import { countMeetingsOf } from '#crm/meetings/synced-meetings'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import {
  type CalendarStore,
  EXPAND_AGAIN_MS,
  forgetOthers,
  forgetOthersOf,
  inCalendarTransaction,
  NO_EVENTS,
  openCalendarStore,
  type ReadCalendar,
  saveCalendarProgress,
  storeEvents,
} from '#transfer/connected-accounts/calendars/calendar-store'
import { sha256 } from '#base/text/sha256'
import { ImportError } from '#transfer/import/import-context'
import { readLines } from '#transfer/mail-files/read-lines'
import { childOf } from './xml'

const POLL_MICROS = 5 * 60_000_000

export const calDavKind = defineAccountKind<CalDavSettings>({
  kind: 'caldav',

  async check(servers, { settings, secret }) {
    const signIn = { settings, getSecret: () => Promise.resolve(secret) }
    await findCalendars(createDavClient(servers, signIn, new AbortController().signal), settings.url)
  },

  async synchronise(run) {
    await synchroniseCalDav(run)
    await run.markSynced()
    return run.appContext.now() + POLL_MICROS
  },

  ...calendarKind(async (tx, { account }) => {
    await clearEtags(tx, account)
    return readAgain(parseState(account.syncState))
  }),
})

// Reads the events of CalDAV calendars that have changed: by the sync-token of RFC 6578, else by the ctag and the ETags, else by the ETags. First
// the changed events of all calendars are read, then those that are gone are forgotten, so an event that moves keeps its meeting. See
// docs/decisions/connected-calendars.md.

/** Events that one request reads. */
const BATCH_SIZE = 50
const MAX_BATCH_BYTES = 16_000_000
const MAX_EVENT_BYTES = 4_000_000
const MAX_PROBLEMS = 100

interface CalDavSync {
  readonly run: AccountRun<CalDavSettings>
  readonly client: DavClient
  readonly store: CalendarStore
  state: CalDavState
  progress: AccountProgress
}

async function synchroniseCalDav(run: AccountRun<CalDavSettings>): Promise<void> {
  const { account, servers, signal } = run
  const client = createDavClient(servers, { settings: account.settings, getSecret: run.getSecret }, signal)
  const found = await findCalendars(client, account.settings.url)
  const store = await openCalendarStore(run)
  const sync: CalDavSync = { run, client, store, state: parseState(account.syncState), progress: account.progress }
  const chosen = account.settings.calendars
  const read = found.filter(({ url }) => chosen === undefined || chosen.includes(url))
  const collections = found.map(({ url, name }) => ({
    path: url,
    name,
    is_read: read.some((each) => each.url === url),
  }))
  await save(
    sync,
    { ...sync.progress, collections },
    withCalendars(
      sync.state,
      read.map(({ url }) => url),
    ),
  )
  const changes: (CalendarChanges & { readonly calendar: FoundCalendar })[] = []
  for (const calendar of read) {
    const changed = await findChanges(sync, calendar)
    if (changed === undefined) continue
    changes.push({ calendar, ...changed })
  }
  const pending = changes.reduce((sum, { changed }) => sum + changed.size, 0)
  if (pending > 0) await beginReading(sync, pending)
  for (const each of changes) await readChanged(sync, stateOf(sync, each.calendar), each)
  for (const each of changes) await forgetGone(sync, each.calendar, each)
  for (const id of sync.state.retired) await forgetCalendar(sync, id)
  const { db } = run.appContext
  const [stored, total] = [await countMeetingsOf(db.sql, account), await countEvents(db.sql, account)]
  await save(sync, { ...sync.progress, phase: 'complete', stored, read: total, total }, sync.state)
}

/** Problems of an earlier reading of everything are gone when everything is read again. */
async function beginReading(sync: CalDavSync, pending: number): Promise<void> {
  const { db } = sync.run.appContext
  const known = await countEvents(db.sql, sync.run.account)
  const isFirst = sync.progress.phase !== 'complete'
  const problems = isFirst ? { problem_count: 0, problems: [] } : {}
  await save(
    sync,
    { ...sync.progress, ...problems, read: known, total: Math.max(known, isFirst ? known + pending : 0) },
    sync.state,
  )
}

async function save(sync: CalDavSync, progress: AccountProgress, state: CalDavState): Promise<void> {
  if (Bun.deepEquals(progress, sync.progress) && Bun.deepEquals(state, sync.state)) return
  await saveCalendarProgress(sync.store, progress, state)
  sync.progress = progress
  sync.state = state
}

/** `withCalendars` has put it into the state. */
const stateOf = ({ state }: CalDavSync, { url }: FoundCalendar): CalendarState =>
  state.calendars.find((each) => each.url === url) as CalendarState

const keyOf = ({ run: { account } }: CalDavSync, { id }: Pick<CalendarState, 'id'>) => ({
  workspaceId: account.workspaceId,
  id: account.id,
  calendar: id,
})

interface CalendarChanges {
  /** The paths of the events to read, with their ETags; empty for one without. */
  readonly changed: ReadonlyMap<string, string>
  /** The keys of events that the calendar has no longer. */
  readonly gone: readonly string[]
  /** The state of the calendar that these changes lead to. */
  readonly next: Pick<CalendarState, 'token' | 'ctag' | 'readAt'>
}

/** Undefined for a calendar that did not change. */
async function findChanges(sync: CalDavSync, calendar: FoundCalendar): Promise<CalendarChanges | undefined> {
  const nowMs = sync.run.appContext.now() / 1000
  const known = stateOf(sync, calendar)
  const { syncToken: token, ctag } = calendar
  const isExpandedAgain = known.readAt !== null && nowMs - known.readAt > EXPAND_AGAIN_MS
  if (known.readAt !== null && !isExpandedAgain) {
    if (token !== null && token === known.token) return undefined
    if (token === null && ctag !== null && ctag === known.ctag) return undefined
    const reported =
      token !== null && known.token !== null ? await reportChanges(sync, calendar, known.token) : undefined
    if (reported !== undefined) return { ...reported, next: { token: reported.token, ctag, readAt: known.readAt } }
  }
  if (isExpandedAgain) await inCalendarTransaction(sync.store, (tx) => clearEtags(tx, keyOf(sync, known)))
  const listed = await compareEtags(sync, calendar, known)
  // The token is older than the listing, so a change in between is reported again.
  return { ...listed, next: { token, ctag, readAt: isExpandedAgain ? nowMs : (known.readAt ?? nowMs) } }
}

/** Undefined when the server does not report changes since the token. */
async function reportChanges(
  { client, run }: CalDavSync,
  { url }: FoundCalendar,
  since: string,
): Promise<(Omit<CalendarChanges, 'next'> & { readonly token: string }) | undefined> {
  const changed = new Map<string, string>()
  const gone = new Set<string>()
  for (let token = since; ;) {
    run.signal.throwIfAborted()
    const body = `<d:sync-token>${Bun.escapeHTML(token)}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop>`
    const report = await client.report(url, 'd:sync-collection', body).catch((error: unknown) => {
      if (error instanceof DavRefusal) return undefined
      throw error
    })
    if (report === undefined || report.syncToken === null) return undefined
    for (const { url: event, status, properties } of report.responses) {
      if (isSamePath(event, url)) continue
      const [path, isGone] = [event.pathname, status === 404]
      gone[isGone ? 'add' : 'delete'](path)
      if (isGone) changed.delete(path)
      else changed.set(path, textOfElement(properties.get(`${DAV}getetag`)) ?? '')
    }
    const isCut = report.responses.some((each) => each.status === 507 && isSamePath(each.url, url))
    const isOver = !isCut || report.syncToken === token
    token = report.syncToken
    if (!isOver) continue
    return { changed, gone: [...gone].map(sha256), token }
  }
}

const isSamePath = (a: URL, b: string): boolean =>
  a.pathname.replace(/\/$/, '') === new URL(b).pathname.replace(/\/$/, '')

/** Lists all events, and compares their ETags with those that were read. An event without an ETag may have changed. */
async function compareEtags(
  sync: CalDavSync,
  { url }: FoundCalendar,
  known: CalendarState,
): Promise<Omit<CalendarChanges, 'next'>> {
  const { responses } = await sync.client.propfind(url, 1, '<d:getetag/><d:resourcetype/>').catch(asProblem)
  const events = responses.filter(
    ({ url: event, properties }) =>
      !isSamePath(event, url) && childOf(properties.get(`${DAV}resourcetype`), `${DAV}collection`) === undefined,
  )
  const stored = await listEtags(sync.run.appContext.db.sql, keyOf(sync, known))
  const present = new Set(events.map((event) => sha256(event.url.pathname)))
  const etags = events.map(
    ({ url: event, properties }) => [event.pathname, textOfElement(properties.get(`${DAV}getetag`)) ?? ''] as const,
  )
  return {
    changed: new Map(etags.filter(([path, etag]) => etag === '' || stored.get(sha256(path)) !== etag)),
    gone: [...stored.keys()].filter((key) => !present.has(key)),
  }
}

interface EventText {
  readonly path: string
  /** Undefined for an event that is gone. */
  readonly text: string | undefined
  readonly etag: string
  readonly problem?: string
}

/** Reads events, and stores each batch together with its ETags. */
async function readChanged(
  sync: CalDavSync,
  state: CalendarState,
  { calendar, changed }: CalendarChanges & { readonly calendar: FoundCalendar },
): Promise<void> {
  const all = [...changed.keys()]
  for (let index = 0; index < all.length; index += BATCH_SIZE) {
    sync.run.signal.throwIfAborted()
    const paths = all.slice(index, index + BATCH_SIZE)
    const problems: AccountProgress['problems'] = []
    const etags = new Map<string, string>()
    for (const event of await readTexts(sync, calendar, paths)) {
      problems.push(...(await storeEvent(sync, state, calendar, event)))
      // An event that cannot be read is read again when it has changed.
      const etag = event.problem === undefined ? event.etag : (changed.get(event.path) ?? '')
      if (event.text !== undefined || event.problem !== undefined) etags.set(sha256(event.path), etag)
    }
    const known = sync.progress.problems
    const added = problems.filter((each) => !known.some((one) => Bun.deepEquals(one, each)))
    const progress = {
      ...sync.progress,
      read: (sync.progress.read ?? 0) + etags.size,
      problem_count: sync.progress.problem_count + added.length,
      problems: [...known, ...added].slice(-MAX_PROBLEMS),
    }
    await inCalendarTransaction(sync.store, async (tx) => {
      await saveEtags(tx, keyOf(sync, state), etags)
      const stored = await countMeetingsOf(tx, sync.run.account)
      sync.progress = { ...progress, stored }
      await sync.run.save(tx, { progress: sync.progress })
    })
  }
}

/** Returns the problems, with the name of the calendar. */
async function storeEvent(
  { store }: CalDavSync,
  { id }: CalendarState,
  { name }: FoundCalendar,
  { path, text, problem }: EventText,
): Promise<{ item: string; reason: string }[]> {
  if (problem !== undefined) return [{ item: `${name}: ${path.split('/').at(-1)}`, reason: problem }]
  const eventKey = sha256(path)
  if (text === undefined) {
    await forgetOthersOf(store, id, [eventKey], NO_EVENTS)
    return []
  }
  const bytes = new TextEncoder().encode(text)
  const lines = () => readLines(oneChunk(bytes), store.run.signal)
  const read = await storeEvents(store, { calendar: id, lines, eventKey }).catch((error: unknown): ReadCalendar => {
    if (!(error instanceof ImportError)) throw error
    return {
      seen: new Set(),
      failed: new Set([eventKey]),
      kept: new Set(),
      problems: [{ item: path, reason: error.message }],
    }
  })
  await forgetOthersOf(store, id, [eventKey], read)
  return read.problems.map(({ item, reason }) => ({ item: `${name}: ${item}`, reason }))
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Reads the events of a batch, or one by one where that does not work. */
async function readTexts(
  { client }: CalDavSync,
  { url }: FoundCalendar,
  paths: readonly string[],
): Promise<EventText[]> {
  const hrefs = paths.map((path) => `<d:href>${Bun.escapeHTML(path)}</d:href>`).join('')
  const body = `<d:prop><d:getetag/><c:calendar-data/></d:prop>${hrefs}`
  const report = await client.report(url, 'c:calendar-multiget', body, MAX_BATCH_BYTES).catch((error: unknown) => {
    if (error instanceof DavRefusal || (error instanceof AccountProblem && error.code === 'too_large')) return undefined
    throw error
  })
  const byPath = new Map(report?.responses.map((each) => [each.url.pathname, each]))
  const texts: EventText[] = []
  for (const path of paths) {
    const response = byPath.get(path)
    const data = response?.properties.get(`${CALDAV}calendar-data`)
    const etag = textOfElement(response?.properties.get(`${DAV}getetag`)) ?? ''
    if (data !== undefined) texts.push({ path, text: data.text, etag })
    else if (response?.status === 404) texts.push({ path, text: undefined, etag: '' })
    else texts.push(await readText(client, new URL(path, url).href, path))
  }
  return texts
}

async function readText(client: DavClient, url: string, path: string): Promise<EventText> {
  try {
    const found = await client.get(url, MAX_EVENT_BYTES)
    return { path, text: found?.text, etag: found?.etag ?? '' }
  } catch (error) {
    if (error instanceof AccountProblem && error.code === 'too_large')
      return { path, text: undefined, etag: '', problem: 'It is larger than 4 MB.' }
    if (error instanceof DavRefusal) return { path, text: undefined, etag: '', problem: 'The server does not send it.' }
    throw error
  }
}

/** Forgets the events that are gone, and stores that the calendar was read. */
async function forgetGone(sync: CalDavSync, calendar: FoundCalendar, { gone, next }: CalendarChanges): Promise<void> {
  const state = stateOf(sync, calendar)
  for (let index = 0; index < gone.length; index += BATCH_SIZE) {
    sync.run.signal.throwIfAborted()
    const keys = gone.slice(index, index + BATCH_SIZE)
    await forgetOthersOf(sync.store, state.id, keys, NO_EVENTS)
    await inCalendarTransaction(sync.store, async (tx) => {
      await deleteEvents(tx, keyOf(sync, state), keys)
      await sync.run.confirmLease(tx)
    })
  }
  await save(sync, sync.progress, replaceCalendar(sync.state, { ...state, ...next }))
}

/** Forgets a calendar that is gone or no longer chosen. */
async function forgetCalendar(sync: CalDavSync, id: number): Promise<void> {
  await forgetOthers(sync.store, id, NO_EVENTS)
  await inCalendarTransaction(sync.store, async (tx) => {
    await deleteEvents(tx, keyOf(sync, { id }))
    await sync.run.confirmLease(tx)
  })
  await save(sync, sync.progress, { ...sync.state, retired: sync.state.retired.filter((each) => each !== id) })
}
