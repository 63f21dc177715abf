/** How far the synchronisation of an IMAP account is, as the account stores it. */

export interface FolderState {
  /** Names the folder in `relata.synced_messages`. A folder whose UIDs the server has made anew gets another number. */
  readonly id: number
  readonly path: string
  readonly uidValidity: string
  /** All messages from this UID on are new. */
  readonly uidNext: number
  /** The state of the folder when its UIDs were last compared. */
  readonly compared: ComparedState | null
  /** The messages that are still to be read, from the newest on. Null when all were read. */
  readonly walk: FolderWalk | null
}

export interface ComparedState {
  readonly exists: number
  readonly uidNext: number
  /** HIGHESTMODSEQ, from which QRESYNC tells what vanished. Null without CONDSTORE. */
  readonly modSeq: string | null
}

export interface FolderWalk {
  /** First the recent messages of all folders, then the history. */
  readonly phase: 'recent' | 'history'
  /** Messages from this UID on were read in this phase. */
  readonly below: number
}

/** Messages whose fetch failed. They are fetched again in smaller batches, until a single message that fails again is skipped. */
export interface FailedFetch {
  readonly folder: number
  /** The first UID of the batch. */
  readonly uid: number
  readonly size: number
  readonly failures: number
  /** How many messages are to be read before batches have their usual size again. */
  readonly left: number
}

export interface ImapSyncState {
  readonly nextFolderId: number
  readonly folders: readonly FolderState[]
  /** Numbers of folders that are gone, whose messages are deleted once all others were read. */
  readonly retired: readonly number[]
  readonly failedFetch: FailedFetch | null
  /** Whether the texts of all stored emails are read or requested. */
  readonly hasRequestedTexts: boolean
}

export const parseSyncState = (stored: unknown): ImapSyncState => ({
  nextFolderId: 1,
  folders: [],
  retired: [],
  failedFetch: null,
  hasRequestedTexts: false,
  ...(stored as Partial<ImapSyncState>), // an earlier `save` wrote it
})

export const replaceFolder = (state: ImapSyncState, folder: FolderState): ImapSyncState => ({
  ...state,
  folders: state.folders.map((each) => (each.id === folder.id ? folder : each)),
})

export interface OpenedFolder {
  readonly path: string
  readonly uidValidity: bigint
  readonly uidNext: number
}

/** The state with the folder as the server has it: a new folder is read from its end, and one with other UIDs again. */
export function openedFolder(state: ImapSyncState, { path, uidValidity, uidNext }: OpenedFolder): ImapSyncState {
  const validity = String(uidValidity)
  const known = state.folders.find((each) => each.path === path)
  if (known?.uidValidity === validity) return state
  const walk: FolderWalk = { phase: 'recent', below: uidNext }
  const added = { id: state.nextFolderId, path, uidValidity: validity, uidNext, compared: null, walk }
  return {
    ...state,
    nextFolderId: state.nextFolderId + 1,
    folders: [...state.folders.filter((each) => each !== known), added],
    retired: known === undefined ? state.retired : [...state.retired, known.id],
  }
}

/** The state without folders that the server no longer has, or that the member no longer chooses. */
export function withoutOtherFolders(state: ImapSyncState, paths: ReadonlySet<string>): ImapSyncState {
  const gone = state.folders.filter(({ path }) => !paths.has(path))
  if (gone.length === 0) return state
  return {
    ...state,
    folders: state.folders.filter(({ path }) => paths.has(path)),
    retired: [...state.retired, ...gone.map(({ id }) => id)],
  }
}

/** The state in which all folders are read again. Messages that are stored are found by their UIDs and not read twice. */
export const walkAgain = (state: ImapSyncState): ImapSyncState => ({
  ...state,
  folders: state.folders.map((folder) => ({ ...folder, walk: { phase: 'recent', below: folder.uidNext } })),
})

/** The folder to read next: recent messages come before the history. */
export function nextWalk({ folders }: ImapSyncState): (FolderState & { readonly walk: FolderWalk }) | undefined {
  const walking = folders.flatMap((folder) => (folder.walk === null ? [] : [{ ...folder, walk: folder.walk }]))
  return walking.find(({ walk }) => walk.phase === 'recent') ?? walking[0]
}
