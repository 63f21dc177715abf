/** Where the browser is: the path chooses the screen, the search holds what of its state is worth sharing. */

import { keepScroll } from './scroll'

/** Beside the address, what an entry of the browser's history holds. */
interface EntryState {
  readonly visit: string
}

const isEntryState = (state: unknown): state is EntryState =>
  typeof state === 'object' && state !== null && 'visit' in state && typeof state.visit === 'string'

export interface SearchChange {
  /** Whether the change takes the place of the present entry of the history. */
  readonly replace?: boolean
  /** A change that goes on with the last one of this name, as typing does, takes that one's entry instead of a new one. */
  readonly continues?: string
}

class Location {
  path = $state(window.location.pathname)
  search = $state.raw(new URLSearchParams(window.location.search))
  /** Names the entry of the history that is shown: another one wherever one goes, the same one again after Back. */
  visit = $state(visitOfEntry())
  /** The same, for those who must not follow it. */
  #entry = visitOfEntry()
  #continued: string | undefined

  constructor() {
    window.addEventListener('popstate', () => this.#read())
    document.addEventListener('click', (event) => this.#follow(event))
  }

  // What follows reads the browser's own state: who goes somewhere in an effect must not follow where one is by that.

  /** To an address of the console; `replace` leaves no way back to the present one. */
  goTo(address: string, { replace = false } = {}): void {
    const leavesPath = new URL(address, window.location.href).pathname !== window.location.pathname
    if (replace) history.replaceState({ visit: visitOfEntry() }, '', address)
    else history.pushState({ visit: crypto.randomUUID() }, '', address)
    this.#read()
    if (leavesPath) document.querySelector('main')?.scrollTo(0, 0)
  }

  /** Changes parts of the search and leaves the others; null takes one away. */
  setSearch(changes: Readonly<Record<string, string | null>>, { replace = true, continues }: SearchChange = {}): void {
    const search = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) search.delete(name)
      else search.set(name, value)
    }
    const text = search.toString()
    if (text === new URLSearchParams(window.location.search).toString()) return
    const { pathname } = window.location
    const goesOn = continues !== undefined && this.#continued === `${visitOfEntry()} ${continues}`
    this.goTo(text === '' ? pathname : `${pathname}?${text}`, { replace: continues === undefined ? replace : goesOn })
    this.#continued = continues && `${visitOfEntry()} ${continues}`
  }

  /** What is changed from now on is another change, whatever it continues. */
  endChange(): void {
    this.#continued = undefined
  }

  #read(): void {
    const entry = visitOfEntry()
    if (this.#entry !== entry) keepScroll(this.#entry)
    this.#entry = entry
    this.visit = entry
    this.path = window.location.pathname
    this.search = new URLSearchParams(window.location.search)
  }

  /** Links to the console change the screen; all others, and those to be opened elsewhere, are the browser's. */
  #follow(event: MouseEvent): void {
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

/** An entry that has no name yet, such as that of the page when it was loaded, gets one. */
function visitOfEntry(): string {
  const state: unknown = history.state
  if (isEntryState(state)) return state.visit
  const visit = crypto.randomUUID()
  history.replaceState({ visit }, '')
  return visit
}

export const location = new Location()

/** The search of a screen's own path. It stays what it was when the path is left, where the screen is still shown for a moment. */
export class ScreenSearch {
  readonly #path = location.path
  #last = location.search

  get params(): URLSearchParams {
    if (location.path === this.#path) this.#last = location.search
    return this.#last
  }
}

export const goTo = location.goTo.bind(location)
