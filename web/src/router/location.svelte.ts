/** Where the browser is: the path chooses the screen, the search holds what of its state is worth sharing. */

class Location {
  path = $state(window.location.pathname)
  search = $state.raw(new URLSearchParams(window.location.search))

  constructor() {
    window.addEventListener('popstate', () => this.#read())
    document.addEventListener('click', (event) => this.#follow(event))
  }

  // What follows reads the browser's own state: who goes somewhere in an effect must not follow where one is by that.

  /** To an address of the console; `replace` leaves no way back to the present one. */
  goTo(address: string, { replace = false } = {}): void {
    const leavesPath = new URL(address, window.location.href).pathname !== window.location.pathname
    history[replace ? 'replaceState' : 'pushState'](null, '', address)
    this.#read()
    if (leavesPath) document.querySelector('main')?.scrollTo(0, 0)
  }

  /** Changes parts of the search and leaves the others; null takes one away. */
  setSearch(changes: Readonly<Record<string, string | null>>, { replace = true } = {}): void {
    const search = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) search.delete(name)
      else search.set(name, value)
    }
    const text = search.toString()
    const { pathname } = window.location
    this.goTo(text === '' ? pathname : `${pathname}?${text}`, { replace })
  }

  #read(): void {
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

export const location = new Location()

export const goTo = location.goTo.bind(location)
