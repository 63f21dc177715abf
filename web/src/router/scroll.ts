/** The scroll position of `main` for each history entry, so that Back shows a page where it was left. */

const MAX_ENTRIES = 100

/** The longest time to wait until the content of a page is as long as it was. */
const MAX_WAIT_MS = 5000

/** Input that ends the restoration, because the person scrolls from then on. */
const INPUT_EVENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

const positions = new Map<string, number>()
let restoring: AbortController | undefined

const findMain = (): HTMLElement | null => document.querySelector('main')

/** Stores the scroll position of the page that is shown for its history entry. */
export function storeScroll(entryId: string): void {
  // While the content is still too short, the stored position is the right one.
  const isIncomplete = restoring !== undefined && !restoring.signal.aborted
  restoring?.abort()
  if (isIncomplete) return
  positions.delete(entryId)
  positions.set(entryId, findMain()?.scrollTop ?? 0)
  const [oldest] = positions.keys()
  if (positions.size > MAX_ENTRIES && oldest !== undefined) positions.delete(oldest)
}

/** Scrolls the page that is shown to its stored position, as soon as its content is long enough. */
export function restoreScroll(entryId: string): void {
  const top = positions.get(entryId) ?? 0
  const main = findMain()
  restoring?.abort()
  if (main === null || top === 0) return
  restoring = new AbortController()
  const { signal } = restoring
  const end = () => restoring?.abort()
  const scroll = () => {
    if (signal.aborted) return
    main.scrollTop = top
    if (Math.abs(main.scrollTop - top) < 1) end()
  }
  const observer = new MutationObserver(scroll)
  const timer = setTimeout(end, MAX_WAIT_MS)
  signal.addEventListener('abort', () => (observer.disconnect(), clearTimeout(timer)))
  for (const type of INPUT_EVENTS) window.addEventListener(type, end, { signal, passive: true })
  observer.observe(main, { childList: true, subtree: true })
  scroll()
}
