/** Keyboard shortcuts of the whole page. They are inactive in fields, and `?` lists them. */

import { untrack } from 'svelte'

export interface Shortcut {
  /** One key, or a sequence of two. */
  readonly keys: readonly string[]
  readonly label: string
  /** The heading in the list of shortcuts. */
  readonly group: string
  /** Absent for keys that a component handles; these are only listed. */
  readonly act?: () => unknown
  /** False for keys that the list names with another shortcut. */
  readonly isListed?: boolean
}

/** The maximum time between the two keys of a sequence. */
const SEQUENCE_MS = 1000

class Shortcuts {
  list = $state.raw<readonly Shortcut[]>([])
  #first: { key: string; at: number } | undefined

  constructor() {
    document.addEventListener('keydown', (event) => this.#press(event))
  }

  /** Adds shortcuts and returns the function that removes them: `$effect(() => shortcuts.add([…]))`. */
  add(added: readonly Shortcut[]): () => void {
    // An effect that adds shortcuts must not depend on the shortcuts of others.
    this.list = [...untrack(() => this.list), ...added]
    return () => {
      this.list = this.list.filter((shortcut) => !added.includes(shortcut))
    }
  }

  #find(pressed: readonly string[]): Shortcut | undefined {
    return this.list.findLast(({ keys, act }) => act !== undefined && keys.join(' ') === pressed.join(' '))
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || handlesKeys(event.target)) return
    const now = performance.now()
    const first = this.#first !== undefined && now - this.#first.at < SEQUENCE_MS ? this.#first.key : undefined
    // A key that continues no sequence may be a shortcut without one.
    const found = (first !== undefined && this.#find([first, event.key])) || this.#find([event.key])
    this.#first = found ? undefined : { key: event.key, at: now }
    if (!found) return
    event.preventDefault()
    found.act?.()
  }
}

/** Whether the element handles keys: fields, dialogs, menus, and panels with `data-shortcuts="off"`. */
function handlesKeys(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest('input, select, textarea, dialog, [popover], [data-shortcuts="off"]') !== null
  )
}

export const shortcuts = new Shortcuts()
