/** The URL of the page: the path chooses the screen, and the search holds the state that links share. */

import { storeScroll } from './scroll'

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

class Location {
  path = $state(window.location.pathname)
  search = $state.raw(new URLSearchParams(window.location.search))
  /** The id of the history entry that is shown. Back shows an entry with the id it had. */
  entryId = $state(readEntryId())
  /** The same id, to be read in an effect without depending on it. */
  #untrackedId = readEntryId()
  #continued: string | undefined

  constructor() {
    window.addEventListener('popstate', () => this.#read())
    document.addEventListener('click', (event) => this.#followLink(event))
  }

  // The methods below read `window.location`: an effect that navigates must not depend on the location.

  /** Goes to a URL of the console. `replace` replaces the current history entry. */
  goTo(url: string, { replace = false } = {}): void {
    const leavesPath = new URL(url, window.location.href).pathname !== window.location.pathname
    if (replace) history.replaceState({ entryId: readEntryId() }, '', url)
    else history.pushState({ entryId: newEntryId() }, '', url)
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
    this.path = window.location.pathname
    this.search = new URLSearchParams(window.location.search)
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
