/** Keys that do something wherever one is, as long as nobody is writing. `?` lists them. */

import { untrack } from 'svelte'

export interface Shortcut {
  /** One key, or two to press one after the other. */
  readonly keys: readonly string[]
  readonly label: string
  /** Under which heading it is listed. */
  readonly group: string
  /** Absent where a component takes the keys itself and they are only listed. */
  readonly act?: () => unknown
}

/** Between the two keys of a sequence. */
const PATIENCE_MS = 1000

class Shortcuts {
  list = $state.raw<readonly Shortcut[]>([])
  #first: { key: string; at: number } | undefined

  constructor() {
    document.addEventListener('keydown', (event) => this.#press(event))
  }

  /** Gives the way to take them back: `$effect(() => shortcuts.add([…]))`. */
  add(added: readonly Shortcut[]): () => void {
    // Who adds must not follow what others add.
    this.list = [...untrack(() => this.list), ...added]
    return () => {
      this.list = this.list.filter((shortcut) => !added.includes(shortcut))
    }
  }

  #find(pressed: readonly string[]): Shortcut | undefined {
    return this.list.findLast(({ keys, act }) => act !== undefined && keys.join(' ') === pressed.join(' '))
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target)) return
    const now = performance.now()
    const first = this.#first !== undefined && now - this.#first.at < PATIENCE_MS ? this.#first.key : undefined
    // A key that no sequence goes on with is one of its own.
    const found = (first !== undefined && this.#find([first, event.key])) || this.#find([event.key])
    this.#first = found ? undefined : { key: event.key, at: now }
    if (!found) return
    event.preventDefault()
    found.act?.()
  }
}

/** Whether keys mean something of their own there: in fields, dialogs, menus and in panels that say so. */
function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest('input, select, textarea, dialog, [popover], [data-shortcuts="off"]') !== null
  )
}

export const shortcuts = new Shortcuts()
