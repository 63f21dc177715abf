/** How far down the page was scrolled at each entry of the history, so that Back shows it where it was left. */

/** How many entries are remembered. */
const MOST = 100

/** Content that takes longer than this to be there is not waited for. */
const LONGEST_WAIT_MS = 5000

/** What a person does who wants to be elsewhere. */
const TAKES_OVER = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

const tops = new Map<string, number>()
let restoring: AbortController | undefined

const mainOf = (): HTMLElement | null => document.querySelector('main')

/** Notes how far the present page is scrolled, as the one of this entry. */
export function keepScroll(visit: string): void {
  // A page that is not yet long enough was not left there by anyone.
  const isUnfinished = restoring !== undefined && !restoring.signal.aborted
  restoring?.abort()
  if (isUnfinished) return
  tops.delete(visit)
  tops.set(visit, mainOf()?.scrollTop ?? 0)
  const [oldest] = tops.keys()
  if (tops.size > MOST && oldest !== undefined) tops.delete(oldest)
}

/** Scrolls the page that is now shown to where it was left, as soon as it is long enough. */
export function restoreScroll(visit: string): void {
  const top = tops.get(visit) ?? 0
  const main = mainOf()
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
  const timer = setTimeout(end, LONGEST_WAIT_MS)
  signal.addEventListener('abort', () => (observer.disconnect(), clearTimeout(timer)))
  for (const type of TAKES_OVER) window.addEventListener(type, end, { signal, passive: true })
  observer.observe(main, { childList: true, subtree: true })
  scroll()
}
