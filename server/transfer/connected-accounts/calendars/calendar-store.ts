/**
 * Stores the events of a connected calendar as meetings, in the way in which those of calendar files are. See
 * docs/decisions/connected-calendars.md.
 */

import type { RequestContext } from '#context'
import type { Transaction } from '#db/connect'
import { isOwnAddress } from '#crm/contacts/company-domain'
import { normaliseAddress } from '#crm/mailboxes/email'
import type { Meeting, Millis } from '#crm/meetings/meeting'
import { findMeeting } from '#crm/meetings/store'
import {
  deleteSyncedMeeting,
  listAccountsOf,
  listMeetingsOfCalendar,
  listMeetingsOfEvents,
  type SyncedEvent,
  type SyncedMeeting,
} from '#crm/meetings/synced-meetings'
import { BUSY } from '#crm/meetings/visibility'
import { deleteLockedMeeting, saveMeeting } from '#crm/meetings/write-meeting'
import { type Member, SYSTEM_ACTOR } from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { sha256 } from '#base/text/sha256'
import { importEvent } from '#transfer/calendar-files/import-event'
import { hasRecordings } from '#transfer/calendar-files/imported-events'
import type { Window } from '#transfer/calendar-files/occurrences'
import type { Attendee, EventMeeting } from '#transfer/calendar-files/parse-event'
import { readCalendarMeetings } from '#transfer/calendar-files/read-meetings'
import type { AccountRun } from '#transfer/connected-accounts/account'
import { createPatternMatch } from '#transfer/connected-accounts/exclusions'
import type { AccountProgress } from '#transfer/connected-accounts/settings'
import { listAccounts, listExclusions, rereadAccounts } from '#transfer/connected-accounts/store'

const DAY_MS = 86_400_000
/** Occurrences of recurring events are stored from this long ago until this far ahead. An event may have 1,100 of them. */
const PAST_MS = 2 * 365 * DAY_MS
const FUTURE_MS = 365 * DAY_MS
/** Then recurring events are expanded again, so that there are always meetings ahead. */
export const EXPAND_AGAIN_MS = 30 * DAY_MS

export interface CalendarStore {
  readonly run: AccountRun
  /** The member as author of the meetings, with the newest data model that was loaded. */
  readonly context: () => RequestContext
  readonly member: Member | undefined
  /** The addresses of the member. */
  readonly ownAddresses: ReadonlySet<string>
  /** The addresses and domains that the member excludes. */
  readonly exclusions: readonly string[]
  readonly window: Window
  /** Meetings that end before it are not stored. */
  readonly earliestEnd: Millis
}

export async function openCalendarStore(run: AccountRun): Promise<CalendarStore> {
  const { account, appContext } = run
  const { db, now } = appContext
  const { workspaceId, memberId, historyDays, createdAt } = account
  const find = (model: RequestContext['model']) => model.membersById.get(memberId)
  const { context } = await openBackgroundContext(db, workspaceId, now, (model) => find(model)?.actor ?? SYSTEM_ACTOR)
  const member = find(context().model)
  const accounts = await listAccounts(db.sql, account)
  const texts = [member?.email_address ?? '', ...accounts.map((each) => each.email_address)]
  const nowMs = now() / 1000
  const earliestEnd = historyDays === null ? Number.NEGATIVE_INFINITY : createdAt / 1000 - historyDays * DAY_MS
  return {
    run,
    context,
    member,
    ownAddresses: new Set(texts.flatMap((text) => normaliseAddress(text) ?? [])),
    exclusions: await listExclusions(db.sql, account),
    window: { from: Math.max(nowMs - PAST_MS, earliestEnd), until: nowMs + FUTURE_MS },
    earliestEnd,
  }
}

/** What a calendar has. */
export interface KeptEvents {
  /** The keys of the events. */
  readonly seen: ReadonlySet<string>
  /** Those that could not be read. What is stored of them stays. */
  readonly failed: ReadonlySet<string>
  /** The meetings of the others. */
  readonly kept: ReadonlySet<string>
}

export const NO_EVENTS: KeptEvents = { seen: new Set(), failed: new Set(), kept: new Set() }

export interface ReadCalendar extends KeptEvents {
  readonly problems: { item: string; reason: string }[]
}

interface CalendarText {
  readonly calendar: number
  /** Opens the text at its beginning. */
  readonly lines: () => AsyncIterable<readonly Uint8Array[]>
  /** Undefined when all events of the text are one resource of a CalDAV server. */
  readonly eventKey?: string
  /** Called after each event, with how many meetings were created. */
  readonly onEvent?: (created: number) => Promise<void>
}

/** Stores the events of an iCalendar text. */
export async function storeEvents(store: CalendarStore, text: CalendarText): Promise<ReadCalendar> {
  const { run, context, member, window } = store
  const { id: accountId, memberId } = run.account
  const read = {
    seen: new Set<string>(),
    failed: new Set<string>(),
    kept: new Set<string>(),
    problems: [] as ReadCalendar['problems'],
  }
  const memberAddress = member?.email_address ?? run.account.emailAddress
  const file = { lines: text.lines, window, memberAddress, hidesPrivate: true }
  const isAdmitted = createAdmission(store)
  const admit = (meeting: EventMeeting, { endsAt, isPrivate }: { endsAt: Millis; isPrivate: boolean }) =>
    endsAt < store.earliestEnd ? undefined : isPrivate ? meeting : isAdmitted(meeting)
  for await (const { line, uid, meetings, identity, problem } of readCalendarMeetings(file)) {
    run.signal.throwIfAborted()
    const eventKey = text.eventKey ?? sha256(uid ?? '')
    read.seen.add(eventKey)
    let created = 0
    const skip = (item: string, reason: string) => {
      read.failed.add(eventKey)
      read.problems.push({ item, reason })
      return Promise.resolve()
    }
    if (problem !== undefined) await skip(uid ?? `line ${line}`, problem.reason)
    if (identity !== undefined) {
      const event = { accountId, calendar: text.calendar, eventKey }
      const source = { ...event, memberId, admit, confirm: run.confirmLease }
      const kept = await importEvent(
        { context, identity, meetings, windowStart: window.from, source },
        {
          onOutcome: (outcome) => (created += outcome === 'created' ? 1 : 0),
          onProblem: ({ title, reason }) => skip(title || identity.uid, reason),
        },
      )
      for (const id of kept) read.kept.add(id)
    }
    await text.onEvent?.(created)
  }
  return read
}

/**
 * What is stored of a meeting: without excluded addresses, and nothing of one whose others are all excluded or colleagues. The member's own
 * addresses become the one by which the workspace knows the member.
 */
function createAdmission(store: CalendarStore): (meeting: EventMeeting) => EventMeeting | undefined {
  const { ownAddresses, member } = store
  const admitAddresses = createAddressAdmission(store)
  return (meeting) => {
    const participants = new Map<string, Attendee>()
    for (const each of meeting.participants) {
      const isOwn = each.email_address !== undefined && ownAddresses.has(each.email_address)
      const address = isOwn ? (member?.email_address ?? each.email_address) : each.email_address
      const key = address ?? `name ${each.name}`
      const before = participants.get(key)
      const isOrganizer = each.is_organizer || before?.is_organizer === true
      const attendee = { ...each, ...(address === undefined ? {} : { email_address: address }) }
      participants.set(key, { ...attendee, is_organizer: isOrganizer })
    }
    const admitted = admitAddresses([...participants.values()], ({ email_address }) => email_address)
    return admitted && { ...meeting, participants: admitted }
  }
}

/** Takes excluded addresses out of participants; undefined when nobody is left whose meeting with the member is to be stored. */
function createAddressAdmission({ context, ownAddresses, exclusions }: CalendarStore) {
  const { model } = context()
  const isExcluded = createPatternMatch(exclusions)
  const isMember = (address: string) => ownAddresses.has(address) || model.membersByEmail.has(address)
  return <T>(participants: readonly T[], addressOf: (participant: T) => string | null | undefined): T[] | undefined => {
    const others = participants.flatMap((each) => addressOf(each) ?? []).filter((address) => !ownAddresses.has(address))
    const isLeft = (address: string) =>
      ownAddresses.has(address) || (!isExcluded(address) && (isMember(address) || !isOwnAddress(model, address)))
    const left = participants.filter((each) => isLeft(addressOf(each) ?? ''))
    const isWithOthers = left.some((each) => {
      const address = addressOf(each)
      return address !== undefined && address !== null && !isMember(address)
    })
    return others.length === 0 || isWithOthers ? left : undefined
  }
}

const BATCH_SIZE = 200

/** Forgets the meetings that a calendar has no longer, after all of its events were read. */
export async function forgetOthers(store: CalendarStore, calendar: number, read: KeptEvents): Promise<void> {
  const { db } = store.run.appContext
  for (let after: SyncedMeeting | undefined; ;) {
    store.run.signal.throwIfAborted()
    const page = await listMeetingsOfCalendar(db.sql, store.run.account, calendar, { after, limit: BATCH_SIZE })
    for (const meeting of page) if (isGone(store, read, meeting)) await releaseMeeting(store, meeting)
    after = page.at(-1)
    if (after === undefined) return
  }
}

/** The same for some events of a calendar. */
export async function forgetOthersOf(
  store: CalendarStore,
  calendar: number,
  eventKeys: readonly string[],
  read: KeptEvents,
): Promise<void> {
  const { db } = store.run.appContext
  for (const meeting of await listMeetingsOfEvents(db.sql, store.run.account, calendar, eventKeys))
    if (isGone(store, read, meeting)) await releaseMeeting(store, meeting)
}

/** Occurrences from before the window were not expanded. */
function isGone(
  { window }: CalendarStore,
  { seen, failed, kept }: KeptEvents,
  { eventKey, meetingId, occursAt }: SyncedMeeting,
): boolean {
  if (failed.has(eventKey) || kept.has(meetingId)) return false
  return !seen.has(eventKey) || occursAt === null || occursAt > window.from + DAY_MS
}

const releaseMeeting = (store: CalendarStore, { meetingId, ...event }: SyncedMeeting): Promise<void> =>
  releasing(store, (tx) => releaseIn(tx, store, meetingId, { ...event, accountId: store.run.account.id }))

export const inCalendarTransaction = <T>({ run }: CalendarStore, write: (tx: Transaction) => Promise<T>): Promise<T> =>
  run.appContext.db.sql.begin(write) as Promise<T> // the driver's type for the callback's result is wider

/** Runs a transaction that releases meetings. `release` returns the accounts that have to read them again, which are locked last. */
export const releasing = (
  store: CalendarStore,
  release: (tx: Transaction) => Promise<readonly string[]>,
): Promise<void> =>
  inCalendarTransaction(store, async (tx) => {
    const { run } = store
    const others = new Set(await release(tx))
    await run.confirmLease(tx)
    if (others.size > 0) await rereadAccounts(tx, run.account.workspaceId, [...others], run.appContext.now())
  })

/**
 * The event, or the whole account, has the meeting no longer. Without another calendar that has it, the meeting is deleted. One with call
 * recordings stays, as the time of the member alone. Returns the other accounts that have it, because this one may have written it.
 */
export async function releaseIn(
  tx: Transaction,
  store: CalendarStore,
  meetingId: string,
  event: Pick<SyncedEvent, 'accountId'> & Partial<SyncedEvent>,
): Promise<readonly string[]> {
  const context = store.context()
  const workspaceId = context.model.workspace.id
  const meeting = await findMeeting(tx, workspaceId, meetingId, 'lock')
  if (meeting === undefined) return []
  await deleteSyncedMeeting(tx, workspaceId, meetingId, event)
  const accounts = await listAccountsOf(tx, workspaceId, meetingId)
  if (accounts.length > 0) return accounts.includes(event.accountId) ? [] : accounts
  if (await hasRecordings(tx, workspaceId, meetingId)) await saveMeeting(tx, context, meeting, busyForm(store, meeting))
  else await deleteLockedMeeting(tx, context, meeting)
  return []
}

function busyForm({ member, run }: CalendarStore, meeting: Meeting): Meeting {
  const emailAddress = member?.email_address ?? run.account.emailAddress
  const participants = [{ emailAddress, name: null, isOrganizer: true, status: 'accepted' as const }]
  const links = meeting.links.filter(({ isGiven }) => isGiven)
  return { ...meeting, title: BUSY, description: '', participants, links }
}

/** Applies the exclusions to a stored meeting. Returns what `releaseIn` does. */
export async function excludeFrom(
  tx: Transaction,
  store: CalendarStore,
  meetingId: string,
): Promise<readonly string[]> {
  const context = store.context()
  const workspaceId = context.model.workspace.id
  const meeting = await findMeeting(tx, workspaceId, meetingId, 'lock')
  if (meeting === undefined) return []
  const admit = createAddressAdmission(store)
  const participants = admit(meeting.participants, ({ emailAddress }) => emailAddress)
  if (participants === undefined) return releaseIn(tx, store, meetingId, { accountId: store.run.account.id })
  // What another account stores of the meeting is not excluded there.
  const accounts = await listAccountsOf(tx, workspaceId, meetingId)
  if (accounts.length === 1) await saveMeeting(tx, context, meeting, { ...meeting, participants })
  return []
}

export const saveCalendarProgress = (
  store: CalendarStore,
  progress: AccountProgress,
  syncState?: object,
): Promise<void> =>
  inCalendarTransaction(store, (tx) =>
    store.run.save(tx, { progress, ...(syncState === undefined ? {} : { syncState }) }),
  )
