/**
 * Reads the messages of an IMAP account: what is new, then the recent ones from the newest on, then the history; afterwards it waits for
 * news with IDLE. Every batch is one transaction with the state that follows it. See docs/decisions/connected-accounts.md.
 */

import type { ExpungeEvent, FetchMessageObject, ImapFlow, MailboxObject, ListResponse } from 'imapflow'
import type { Transaction } from '#db/connect'
import { collectGarbageOfWork } from '#base/memory/collect-garbage'
import { countUnreadTexts, requestPartOfTexts, requestTexts, storesTexts } from '#crm/mailboxes/email-texts'
import { runOutsideScope } from '#base/monitoring/trace-context'
import { createWakeSignal, type WakeSignal } from '#base/timing/wait'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { AccountRun } from '#transfer/connected-accounts/account'
import type { AccountProgress, ImapSettings } from '#transfer/connected-accounts/settings'
import { fetchTexts, listUnreadTexts, noteFailure, storeTexts, type UnreadText } from './read-texts'
import {
  openMessageStore,
  deletePartOfFolder,
  deleteVanished,
  FETCHED,
  listStoredUids,
  type MessageStore,
  readFetched,
  type ReadMessage,
  storeRead,
} from './store-messages'
import {
  type ComparedState,
  type FolderState,
  type FolderWalk,
  type ImapSyncState,
  nextWalk,
  openedFolder,
  parseSyncState,
  replaceFolder,
  withoutOtherFolders,
} from './sync-state'

const DAY = 86_400_000_000
/** The days of messages that come first, before older ones. */
const RECENT_DAYS = 90
/** Messages that one transaction stores. */
const BATCH_SIZE = 250
/** A message makes about 15 kB of garbage. */
const MESSAGES_PER_COLLECTION = 1_000
/** UIDs that one SEARCH covers, so that its answer has a limit. */
const WINDOW = 20_000
/** While older messages are read, the service looks for news at this interval. */
const NEWS_EVERY_MS = 15_000
/** While texts are read, the service looks at this interval whether a message has arrived. */
const NEWS_DURING_TEXTS_MS = 1_000
/** All folders are looked at, at this interval; with IDLE, the inbox notifies of its news itself. */
const POLL_MS = 5 * 60_000

interface ImapSync {
  readonly run: AccountRun<ImapSettings>
  readonly client: ImapFlow
  readonly store: MessageStore
  /** What is stored of the synchronisation. */
  state: ImapSyncState
  progress: AccountProgress
  /** Messages that were read since the last collection of garbage. */
  uncollected: number
  /** UIDs that the server says have vanished from the open folder. */
  readonly vanished: Set<number>
  /** Woken by news of the open folder and by the end of the run. */
  readonly news: WakeSignal
}

/** Runs until the signal is aborted, or until a server without IDLE has no news. Returns when the account is due again. */
export async function synchroniseImap(run: AccountRun<ImapSettings>, client: ImapFlow): Promise<Micros> {
  const store = await openMessageStore(run)
  const sync: ImapSync = {
    run,
    client,
    store,
    state: parseSyncState(run.account.syncState),
    progress: run.account.progress,
    uncollected: 0,
    vanished: new Set(),
    news: createWakeSignal(),
  }
  const stopListening = listen(sync)
  try {
    for (;;) {
      const folders = await readOlder(sync, await lookAtFolders(sync))
      if (await readTexts(sync, folders)) continue
      if (!client.capabilities.has('IDLE') || (await isIdleUntilPoll(sync, folders))) return nextPoll(run)
    }
  } finally {
    stopListening()
  }
}

const nextPoll = ({ appContext, signal }: AccountRun): Micros =>
  appContext.now() + (signal.aborted ? 0 : POLL_MS * 1000)

function listen({ client, news, vanished, run }: ImapSync): () => void {
  const onExpunge = ({ uid }: ExpungeEvent) => {
    if (uid !== undefined) vanished.add(uid)
    news.wake()
  }
  const onNews = () => news.wake()
  client.on('exists', onNews).on('expunge', onExpunge).on('close', onNews)
  run.signal.addEventListener('abort', onNews, { once: true })
  return () => {
    client.off('exists', onNews).off('expunge', onExpunge).off('close', onNews)
    run.signal.removeEventListener('abort', onNews)
  }
}

/** Reads what is new in all folders, and then deletes what vanished, so that a moved message is found in its new folder first. */
async function lookAtFolders(sync: ImapSync): Promise<ChosenFolders> {
  const listed = await sync.client.list()
  const folders = chooseFolders(listed, sync.run.account.settings.folders)
  const gone: VanishedMessages[] = []
  const total = { messages: 0 }
  for (const path of folders.paths) {
    const opened = await openFolder(sync, path)
    total.messages += opened.exists
    gone.push(await readNewMessages(sync, opened))
  }
  for (const each of gone) await forgetVanished(sync, each)
  const state = withoutOtherFolders(sync.state, folders.paths)
  await save(sync, {
    state,
    progress: { ...sync.progress, total: total.messages, collections: [...folders.collections] },
  })
  return folders
}

interface VanishedMessages {
  readonly path: string
  readonly uids: readonly number[]
  /** The state of the folder without them. */
  readonly compared: ComparedState
}

/** Opens a folder for reading. A folder with new UIDs becomes a new one. */
async function openFolder(sync: ImapSync, path: string): Promise<MailboxObject> {
  const { client } = sync
  const known = sync.state.folders.find((each) => each.path === path)
  const modSeq = known?.compared?.modSeq ?? null
  const since =
    known === undefined || modSeq === null ? {} : { changedSince: modSeq, uidValidity: BigInt(known.uidValidity) }
  sync.vanished.clear()
  // A folder that is open would not be selected again, and so tell nothing about what vanished meanwhile.
  if (client.mailbox !== false && client.mailbox.path === path) await client.mailboxClose()
  const opened = await client.mailboxOpen(path, { readOnly: true, ...since })
  const state = openedFolder(sync.state, opened)
  if (state !== sync.state) await save(sync, { state })
  return opened
}

/** Reads the messages behind the last one that was read. Returns those that have vanished. */
async function readNewMessages(sync: ImapSync, opened: MailboxObject): Promise<VanishedMessages> {
  const folder = folderAt(sync, opened.path)
  for (let from = folder.uidNext; from < opened.uidNext; from += WINDOW) {
    const to = Math.min(from + WINDOW, opened.uidNext)
    const uids = await searchUids(sync, from, to)
    while (uids.length > 0) {
      const batch = uids.splice(0, batchSizeIn(sync, folder))
      const next = uids.length > 0 ? (batch.at(-1) ?? from) + 1 : to
      await readBatch(sync, { ...folderAt(sync, opened.path), uidNext: next }, batch)
    }
    await save(sync, { state: replaceFolder(sync.state, { ...folderAt(sync, opened.path), uidNext: to }) })
  }
  const { exists, uidNext, highestModseq } = opened
  const compared = { exists, uidNext, modSeq: highestModseq === undefined ? null : String(highestModseq) }
  return { path: opened.path, uids: await findVanished(sync, opened), compared }
}

/** `openFolder` has put it into the state. */
const folderAt = ({ state }: ImapSync, path: string): FolderState =>
  state.folders.find((each) => each.path === path) as FolderState

interface SearchedDates {
  readonly since?: Date
  readonly before?: Date
}

/** The UIDs from `from` up to but without `to`, in ascending order. */
async function searchUids(
  { client }: ImapSync,
  from: number,
  to: number,
  dates: SearchedDates = {},
): Promise<number[]> {
  const found = await client.search({ uid: `${from}:${to - 1}`, ...dates }, { uid: true })
  // A range whose end is below its beginning means the same range.
  return (found || []).filter((uid) => uid >= from && uid < to).toSorted((a, b) => a - b)
}

const batchSizeIn = ({ state }: ImapSync, { id }: FolderState): number =>
  state.failedFetch?.folder === id ? Math.max(1, Math.floor(state.failedFetch.size / 10)) : BATCH_SIZE

/** A message is skipped when its fetch alone has failed so often. */
const MAX_FAILURES = 2

/** Reads messages, and stores them together with the state of the folder. */
async function readBatch(sync: ImapSync, folder: FolderState, uids: readonly number[]): Promise<void> {
  sync.run.signal.throwIfAborted()
  const stored = new Set(uids.length === 0 ? [] : await listStoredIn(sync, folder, uids))
  const missing = uids.filter((uid) => !stored.has(uid))
  const fetched = await fetchOrSkip(sync, folder, missing)
  const { messages, problems } =
    fetched === undefined
      ? { messages: [], problems: [{ item: `${folder.path} ${uids.join()}`, reason: 'The server does not send it.' }] }
      : await readFetched(sync.store, folder.path, fetched)
  const state = withoutFailedFetch(replaceFolder(sync.state, folder), folder, uids.length)
  await commit(sync, async (tx) => {
    const created = await storeRead(tx, sync.store, folder.id, messages)
    if (state.hasRequestedTexts) await requestTexts(tx, sync.store.mailbox, messages.map(({ message }) => message.messageKey)) // prettier-ignore
    return { state, progress: withRead(sync, state, { created, messages, problems }) }
  })
  sync.uncollected += uids.length
  if (sync.uncollected < MESSAGES_PER_COLLECTION) return
  sync.uncollected = 0
  collectGarbageOfWork()
}

const listStoredIn = ({ run, store }: ImapSync, folder: FolderState, uids: readonly number[]): Promise<number[]> =>
  listStoredUids(run.appContext.db.sql, store.account, folder.id, {
    from: Math.min(...uids),
    to: Math.max(...uids) + 1,
  })

/** Returns undefined for a message whose fetch has failed too often. */
async function fetchOrSkip(
  sync: ImapSync,
  { id }: FolderState,
  uids: readonly number[],
): Promise<FetchMessageObject[] | undefined> {
  const [uid] = uids
  if (uid === undefined) return []
  const { failedFetch } = sync.state
  const isSame = failedFetch?.folder === id && failedFetch.uid === uid && failedFetch.size === uids.length
  const failures = isSame ? (failedFetch?.failures ?? 0) : 0
  if (uids.length === 1 && failures >= MAX_FAILURES) return undefined
  try {
    return await fetchAll(sync, uids)
  } catch (error) {
    sync.run.signal.throwIfAborted()
    const failed = { folder: id, uid, size: uids.length, failures: failures + 1, left: uids.length }
    await save(sync, { state: { ...sync.state, failedFetch: failed } })
    throw error
  }
}

function withoutFailedFetch(state: ImapSyncState, { id }: FolderState, count: number): ImapSyncState {
  const { failedFetch } = state
  if (failedFetch === null || failedFetch.folder !== id) return state
  const left = failedFetch.left - count
  return { ...state, failedFetch: left <= 0 ? null : { ...failedFetch, left } }
}

async function fetchAll({ client }: ImapSync, uids: readonly number[]): Promise<FetchMessageObject[]> {
  const fetched: FetchMessageObject[] = []
  for await (const message of client.fetch([...uids], { ...FETCHED, headers: [...FETCHED.headers] }, { uid: true }))
    fetched.push(message)
  return fetched
}

/** The newest problems that people see. */
const MAX_PROBLEMS = 100

interface BatchResult {
  readonly created: number
  readonly messages: readonly ReadMessage[]
  readonly problems: AccountProgress['problems']
}

function withRead(
  { progress }: ImapSync,
  state: ImapSyncState,
  { created, messages, problems }: BatchResult,
): AccountProgress {
  const oldest = messages.reduce((at, { message }) => Math.min(at, message.sentAt), Number.POSITIVE_INFINITY)
  const back = oldest === Number.POSITIVE_INFINITY ? null : timestampFromMicros(oldest)
  return {
    ...withProblems(progress, problems),
    phase: nextWalk(state)?.walk.phase ?? 'complete',
    stored: progress.stored + created,
    back_to: progress.back_to === null || (back !== null && back < progress.back_to) ? back : progress.back_to,
  }
}

function withProblems(progress: AccountProgress, problems: AccountProgress['problems']): AccountProgress {
  // Messages that cannot be stored are read again when all folders are.
  const added = problems.filter(({ item }) => !progress.problems.some((each) => each.item === item))
  return {
    ...progress,
    problem_count: progress.problem_count + added.length,
    problems: [...progress.problems, ...added].slice(-MAX_PROBLEMS),
  }
}

interface Changes {
  readonly state: ImapSyncState
  readonly progress?: AccountProgress
}

/** Runs a transaction that ends with the new state, or leaves everything as it was. */
async function commit(sync: ImapSync, write: (tx: Transaction) => Promise<Changes>): Promise<void> {
  const { run } = sync
  let written: Changes | undefined
  await run.appContext.db.sql.begin(async (tx) => {
    written = await write(tx)
    await run.save(tx, {
      syncState: written.state,
      ...(written.progress === undefined ? {} : { progress: written.progress }),
    })
  })
  sync.state = written?.state ?? sync.state
  sync.progress = written?.progress ?? sync.progress
}

const save = (sync: ImapSync, changes: Changes): Promise<void> =>
  changes.state === sync.state && isSameProgress(sync.progress, changes.progress)
    ? Promise.resolve()
    : commit(sync, () => Promise.resolve(changes))

const isSameProgress = (before: AccountProgress, after: AccountProgress | undefined): boolean =>
  after === undefined || JSON.stringify(before) === JSON.stringify(after)

/** The stored messages of an open folder that the server no longer has. */
async function findVanished(sync: ImapSync, opened: MailboxObject): Promise<number[]> {
  const { compared, id } = folderAt(sync, opened.path)
  if (compared?.exists === opened.exists && compared.uidNext === opened.uidNext) return []
  // With QRESYNC, the server has told them when the folder was opened, or while it was open.
  if (sync.client.enabled.has('QRESYNC') && compared !== null && compared.modSeq !== null) return [...sync.vanished]
  const vanished: number[] = []
  for (let from = 1; from < opened.uidNext; from += WINDOW) {
    const range = { from, to: Math.min(from + WINDOW, opened.uidNext) }
    const stored = await listStoredUids(sync.run.appContext.db.sql, sync.store.account, id, range)
    const present = new Set(stored.length === 0 ? [] : await searchUids(sync, range.from, range.to))
    vanished.push(...stored.filter((uid) => !present.has(uid)))
  }
  return vanished
}

/** Deletes what has vanished, and stores that the folder was compared. */
async function forgetVanished(sync: ImapSync, { path, uids, compared }: VanishedMessages): Promise<void> {
  const { id } = folderAt(sync, path)
  for (let index = 0; index < uids.length; index += BATCH_SIZE) {
    const batch = uids.slice(index, index + BATCH_SIZE)
    await commitDeletion(sync, sync.state, (tx) => deleteVanished(tx, sync.store, id, batch))
  }
  await save(sync, { state: replaceFolder(sync.state, { ...folderAt(sync, path), compared }) })
}

/** `remove` returns how many emails it has deleted. */
const commitDeletion = (
  sync: ImapSync,
  state: ImapSyncState,
  remove: (tx: Transaction) => Promise<number>,
): Promise<void> =>
  commit(sync, async (tx) => {
    const stored = Math.max(0, sync.progress.stored - (await remove(tx)))
    return { state, progress: { ...sync.progress, stored } }
  })

/**
 * Reads the recent messages of all folders, and then the history. Looks for news now and then, which also brings new folders and removes those
 * that are gone. Returns the folders that the server has in the end.
 */
async function readOlder(sync: ImapSync, found: ChosenFolders): Promise<ChosenFolders> {
  let folders = found
  let looked = performance.now()
  for (let folder = nextWalk(sync.state); folder !== undefined; folder = nextWalk(sync.state)) {
    if (performance.now() - looked > NEWS_EVERY_MS) {
      folders = await lookAtFolders(sync)
      looked = performance.now()
    } else await readWindow(sync, folder)
  }
  await deleteRetired(sync)
  const { phase } = sync.progress
  if (phase !== 'complete') await save(sync, { state: sync.state, progress: { ...sync.progress, phase: 'complete' } })
  await sync.run.markSynced()
  return folders
}

type WalkedFolder = FolderState & { readonly walk: FolderWalk }

/** Reads the messages of a range of UIDs, from the newest on. */
async function readWindow(sync: ImapSync, folder: WalkedFolder): Promise<void> {
  const { mailbox } = sync.client
  if (mailbox === false || mailbox.path !== folder.path) await openFolder(sync, folder.path)
  const from = Math.max(1, folder.walk.below - WINDOW)
  const dates = datesOf(sync, folder.walk.phase)
  const uids = folder.walk.below > 1 ? await searchUids(sync, from, folder.walk.below, dates) : []
  const begun = performance.now()
  while (uids.length > 0) {
    const batch = uids.splice(-batchSizeIn(sync, folder))
    const below = uids.length > 0 ? (batch[0] ?? from) : from
    await readBatch(sync, withWalk(sync, folder, below), batch)
    // The next call goes on below.
    if (uids.length > 0 && performance.now() - begun > NEWS_EVERY_MS) return
  }
  await save(sync, { state: replaceFolder(sync.state, withWalk(sync, folder, from)) })
}

/** Messages of these days are read in a phase. Both phases together have each message once. */
function datesOf({ run: { account } }: ImapSync, phase: FolderWalk['phase']): SearchedDates {
  const { historyDays, createdAt } = account
  const daysBefore = (days: number) => new Date((createdAt - days * DAY) / 1000)
  const recent = daysBefore(Math.min(RECENT_DAYS, historyDays ?? RECENT_DAYS))
  if (phase === 'recent') return { since: recent }
  return historyDays === null ? { before: recent } : { since: daysBefore(historyDays), before: recent }
}

/** The folder after the messages from `below` on were read. At the end of a phase, the next one begins. */
function withWalk({ state, run }: ImapSync, { id, path, walk: { phase } }: WalkedFolder, below: number): FolderState {
  const folder = state.folders.find((each) => each.id === id)
  if (folder === undefined) throw new Error(`The folder ${path} is gone.`)
  if (below > 1) return { ...folder, walk: { phase, below } }
  const { historyDays } = run.account
  const hasHistory = phase === 'recent' && (historyDays === null || historyDays > RECENT_DAYS)
  return { ...folder, walk: hasHistory ? { phase: 'history', below: folder.uidNext } : null }
}

/** Deletes the messages of folders that are gone, now that those of all others are stored. */
async function deleteRetired(sync: ImapSync): Promise<void> {
  for (let [id] = sync.state.retired; id !== undefined; [id] = sync.state.retired) {
    const folder = id
    let messages = 0
    await commitDeletion(sync, sync.state, async (tx) => {
      const part = await deletePartOfFolder(tx, sync.store, folder)
      messages = part.messages
      return part.emails
    })
    const rest = sync.state.retired.filter((each) => each !== folder)
    if (messages === 0) await save(sync, { state: { ...sync.state, retired: rest } })
  }
}

/** Reads the texts of stored emails, the newest first, until none is left or a new message arrived. Returns whether one arrived. */
async function readTexts(sync: ImapSync, { inbox }: ChosenFolders): Promise<boolean> {
  const { run, store, client } = sync
  const { sql } = run.appContext.db
  if (!(await storesTexts(sql, store.account.workspaceId))) {
    await save(sync, { state: sync.state, progress: withTexts(sync, null) })
    return false
  }
  await requestAllTexts(sync)
  await save(sync, { state: sync.state, progress: withTexts(sync, await countUnreadTexts(sql, store.mailbox)) })
  for (let looked = performance.now(); ;) {
    run.signal.throwIfAborted()
    const folders = sync.state.folders.map(({ id }) => id)
    const unread = await listUnreadTexts(sql, store, folders)
    const folder = sync.state.folders.find(({ id }) => id === unread[0]?.folder)
    if (folder === undefined) {
      await save(sync, { state: sync.state, progress: withTexts(sync, 0) })
      return false
    }
    if (client.mailbox === false || client.mailbox.path !== folder.path) await openFolder(sync, folder.path)
    // The server has made the UIDs of the folder anew.
    if (folderAt(sync, folder.path).id !== folder.id) return true
    await readBatchOfTexts(sync, folder, unread)
    if (performance.now() - looked < NEWS_DURING_TEXTS_MS) continue
    looked = performance.now()
    if (!(await storesTexts(sql, store.account.workspaceId)) || (await hasNews(sync, inbox))) return true
  }
}

/** Requests the texts of all emails that are stored, once after the workspace began to store texts. */
async function requestAllTexts(sync: ImapSync): Promise<void> {
  for (let after = ''; !sync.state.hasRequestedTexts;) {
    sync.run.signal.throwIfAborted()
    await commit(sync, async (tx) => {
      const last = await requestPartOfTexts(tx, sync.store.mailbox, after)
      after = last ?? after
      return { state: { ...sync.state, hasRequestedTexts: last === undefined } }
    })
  }
}

async function readBatchOfTexts(sync: ImapSync, folder: FolderState, unread: readonly UnreadText[]): Promise<void> {
  const { run, store, client } = sync
  try {
    const texts = await fetchTexts(client, store, unread)
    await commit(sync, async (tx) => {
      await storeTexts(tx, store, texts)
      return { state: sync.state, progress: withTexts(sync, (sync.progress.texts_left ?? 0) - texts.length) }
    })
  } catch (error) {
    run.signal.throwIfAborted()
    const givenUp = await noteFailure(run.appContext.db.sql, store, unread)
    const problems = givenUp.map(({ uid }) => ({
      item: `${folder.path} ${uid}`,
      reason: 'The server does not send its text.',
    }))
    await save(sync, { state: sync.state, progress: withProblems(sync.progress, problems) })
    throw error
  }
}

const withTexts = ({ progress }: ImapSync, left: number | null): AccountProgress => ({
  ...progress,
  texts_left: left === null ? null : Math.max(0, left),
})

async function hasNews(sync: ImapSync, inbox: string | undefined): Promise<boolean> {
  const folder = sync.state.folders.find(({ path }) => path === inbox)
  if (folder === undefined) return false
  const { client } = sync
  if (client.mailbox !== false && client.mailbox.path === folder.path) {
    // Servers may answer STATUS of the open folder from memory.
    await client.noop()
    return client.mailbox.exists !== folder.compared?.exists
  }
  const status = await client.status(folder.path, { uidNext: true })
  return status !== false && status.uidNext !== undefined && status.uidNext !== folder.uidNext
}

/** Waits for news of the inbox. Returns whether the run is to end. */
async function isIdleUntilPoll(sync: ImapSync, { inbox }: ChosenFolders): Promise<boolean> {
  const { client, news, run } = sync
  const folder = sync.state.folders.find(({ path }) => path === inbox)
  if (folder === undefined) return true
  news.clear()
  const opened = await openFolder(sync, folder.path)
  const { compared } = folderAt(sync, folder.path)
  if (opened.uidNext !== folder.uidNext || opened.exists !== compared?.exists) return false
  if (run.signal.aborted) return true
  const idle = runOutsideScope(() => client.idle()).catch(() => news.wake())
  await news.wait(POLL_MS)
  if (run.signal.aborted) return true
  // Any other command ends IDLE.
  await client.noop()
  await idle
  return false
}

// Which folders of an account are read, by their SPECIAL-USE (RFC 6154). See docs/connected-accounts.md (Folders).

type ListedFolder = Pick<ListResponse, 'path' | 'name' | 'specialUse' | 'flags'>

/** A folder with all messages, as Gmail has one, stands for the others. */
const ALL = '\\All'
const READ: readonly string[] = ['\\Inbox', '\\Sent', '\\Archive']
/** Never read, whatever the member chooses. */
const NEVER: readonly string[] = ['\\Drafts', '\\Junk', '\\Trash']

const isSelectable = ({ flags }: ListedFolder): boolean =>
  ![...flags].some((flag) => /^\\(?:noselect|nonexistent)$/i.test(flag))

interface ChosenFolders {
  /** The paths of the folders that are read, the one of the inbox first. */
  readonly paths: ReadonlySet<string>
  /** The folder in which new messages arrive. */
  readonly inbox: string | undefined
  /** All folders that may be read, for people. */
  readonly collections: AccountProgress['collections']
}

function chooseFolders(listed: readonly ListedFolder[], further: readonly string[] = []): ChosenFolders {
  const readable = listed.filter((folder) => isSelectable(folder) && !NEVER.includes(folder.specialUse ?? ''))
  const all = readable.find(({ specialUse }) => specialUse === ALL)
  const isRead = ({ path, specialUse = '' }: ListedFolder) =>
    further.includes(path) || (all === undefined ? READ.includes(specialUse) : specialUse === ALL)
  const inbox = all ?? readable.find(({ specialUse }) => specialUse === '\\Inbox')
  const paths = readable.filter(isRead).map(({ path }) => path)
  return {
    paths: new Set([...paths.filter((path) => path === inbox?.path), ...paths]),
    inbox: inbox?.path,
    collections: readable.map((folder) => ({ path: folder.path, name: folder.name, is_read: isRead(folder) })),
  }
}
