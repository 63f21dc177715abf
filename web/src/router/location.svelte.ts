/** The URL of the page: the workspace, the path that chooses the screen, and the search with the state that links share. */

import { storeScroll } from './scroll'
import { inWorkspace, splitPath } from './workspace-path'

/** The state of a history entry. */
interface EntryState {
  readonly entryId: string
}

const isEntryState = (state: unknown): state is EntryState =>
  typeof state === 'object' && state !== null && 'entryId' in state && typeof state.entryId === 'string'

export interface SearchChange {
  /** Whether the change replaces the current history entry. */
  readonly replace?: boolean
  /**
   * The name of an input. Successive changes of one input, such as the letters of a word, share one history entry; the first of
   * them adds it.
   */
  readonly continues?: string
}

/** The events before a browser uses the URL of a link: to show, copy or open it. */
const BEFORE_LINK = ['pointerover', 'pointerdown', 'focusin'] as const

class Location {
  /** The slug or id of the workspace in the URL. Undefined for an address of an earlier version, and for pages of no workspace. */
  workspace = $state(splitPath(window.location.pathname).workspace)
  /** The path without the workspace. */
  path = $state(splitPath(window.location.pathname).path)
  search = $state.raw(new URLSearchParams(window.location.search))
  /** The id of the history entry that is shown. Back shows an entry with the id it had. */
  entryId = $state(readEntryId())
  /** The same id, to be read in an effect without depending on it. */
  #untrackedId = readEntryId()
  #continued: string | undefined

  constructor() {
    window.addEventListener('popstate', () => this.#read())
    document.addEventListener('click', (event) => this.#followLink(event))
    for (const type of BEFORE_LINK) document.addEventListener(type, (event) => this.#completeLink(event), true)
  }

  /** The path and search of the page with its workspace, for links from elsewhere. */
  get url(): string {
    const search = this.search.toString()
    return this.complete(this.path) + (search === '' ? '' : `?${search}`)
  }

  /** The path of a page with the workspace that is shown. */
  complete(path: string): string {
    return inWorkspace(path, this.workspace)
  }

  /** Names the workspace of the page that is shown, such as for an address of an earlier version or after the workspace was renamed. */
  nameWorkspace(name: string): void {
    const path = inWorkspace(splitPath(window.location.pathname).path, name)
    if (path === window.location.pathname) return
    const { search, hash } = window.location
    history.replaceState(history.state, '', path + search + hash)
    this.workspace = splitPath(path).workspace
  }

  /** Gives the page that is shown another address, such as a new note when it is created. The screen stays. */
  nameEntry(path: string): void {
    history.replaceState(history.state, '', this.complete(path))
  }

  // The methods below read `window.location`: an effect that navigates must not depend on the location.

  /** Goes to a URL of the console. `replace` replaces the current history entry. */
  goTo(url: string, { replace = false } = {}): void {
    const target = new URL(url, window.location.href)
    target.pathname = this.complete(target.pathname)
    const leavesPath = target.pathname !== window.location.pathname
    if (replace) history.replaceState({ entryId: readEntryId() }, '', target)
    else history.pushState({ entryId: newEntryId() }, '', target)
    this.#read()
    if (leavesPath) document.querySelector('main')?.scrollTo(0, 0)
  }

  /** Changes some parameters of the search. Null removes a parameter. */
  setSearch(changes: Readonly<Record<string, string | null>>, { replace = true, continues }: SearchChange = {}): void {
    const search = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) search.delete(name)
      else search.set(name, value)
    }
    const text = search.toString()
    if (text === new URLSearchParams(window.location.search).toString()) return
    const { pathname } = window.location
    const goesOn = continues !== undefined && this.#continued === `${readEntryId()} ${continues}`
    this.goTo(text === '' ? pathname : `${pathname}?${text}`, { replace: continues === undefined ? replace : goesOn })
    this.#continued = continues && `${readEntryId()} ${continues}`
  }

  /** The next change adds a history entry, also when it continues the last input. */
  endChange(): void {
    this.#continued = undefined
  }

  #read(): void {
    const entryId = readEntryId()
    if (this.#untrackedId !== entryId) storeScroll(this.#untrackedId)
    this.#untrackedId = entryId
    this.entryId = entryId
    const { workspace, path } = splitPath(window.location.pathname)
    this.workspace = workspace
    this.path = path
    this.search = new URLSearchParams(window.location.search)
  }

  /** Adds the workspace to the URL of a link, which the browser shows, copies and opens in other tabs. */
  #completeLink({ target }: Event): void {
    const link = target instanceof Element ? target.closest('a') : null
    // The links of an editor are its content.
    if (link?.origin !== window.location.origin || link.isContentEditable) return
    const path = this.complete(link.pathname)
    if (path !== link.pathname) link.setAttribute('href', path + link.search + link.hash)
  }

  /** Links to the console change the screen. The browser handles all other links, and links that open a new tab. */
  #followLink(event: MouseEvent): void {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return
    const link = event.target.closest('a')
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== window.location.origin)
      return
    if (link.relList.contains('external')) return
    event.preventDefault()
    this.goTo(link.href)
  }
}

/** An entry without an id, such as that of a page that was just loaded, gets one. */
function readEntryId(): string {
  const state: unknown = history.state
  if (isEntryState(state)) return state.entryId
  const entryId = newEntryId()
  history.replaceState({ entryId }, '')
  return entryId
}

/** `crypto.randomUUID` is missing where the console is served over plain http. */
const newEntryId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

export const location = new Location()

/**
 * The search of a screen's own path. A screen is still shown while the code of the next one is loaded; meanwhile its search
 * stays what it was.
 */
export class ScreenSearch {
  readonly #path = location.path
  #last = location.search

  get params(): URLSearchParams {
    if (location.path === this.#path) this.#last = location.search
    return this.#last
  }
}

export const goTo = location.goTo.bind(location)
