/** The state of a picker: which item is highlighted, whether the list is open, and what each key does. */

import { tick } from 'svelte'
import { type HeldKey, isHeld, pressAgain } from '../../held-keys'
import type { OptionChipProps } from '../../parts/option'

export interface PickerItem {
  readonly id: string
  readonly label: string
  readonly detail?: string | undefined
  /** Whether the item is created when it is selected. An Enter that waited for the items does not select it. */
  readonly isNew?: boolean
  /** The object of a record, whose picture is shown. Its id is that of the item. */
  readonly object?: string
  /** An option or status, and the word before it. */
  readonly chip?: OptionChipProps & { readonly before?: string }
}

/** The state that the component of a picker has. Its members are read again whenever they are needed. */
export interface PickerInput {
  query: string
  /** Whether several items can be selected. The list of a single selection closes after it. */
  readonly isMultiple: boolean
  readonly selected: readonly PickerItem[]
  readonly items: readonly PickerItem[]
  /** Whether `items` do not match the query yet. */
  readonly isLoading: boolean
  /** Returns a promise for an item that it creates. */
  toggle(item: PickerItem): unknown
  /** Ends an editor. Absent in a form, where Enter submits the form and Escape closes the list. */
  readonly done: (() => unknown) | undefined
}

export class PickerState {
  isOpen = $state(false)
  /** Only letters and arrows highlight an item, so that Enter never selects one that the person did not look for. */
  #index = $state(-1)
  /** Enter was pressed before the items of the query arrived. */
  #isEnterPending = $state(false)
  #isCreating = false
  /** The keys after an Enter that is pending or creates an item. */
  #held: readonly HeldKey[] = []
  readonly #input: PickerInput

  readonly highlighted: PickerItem | undefined = $derived.by(() => {
    const { items } = this.#input
    return this.#index < 0 ? undefined : items[Math.min(this.#index, items.length - 1)]
  })

  constructor(input: PickerInput) {
    this.#input = input
  }

  /** Whether Enter was pressed and the items that it waits for are there. */
  get isEnterDue(): boolean {
    return this.#isEnterPending && !this.#input.isLoading
  }

  get selectedCount(): number {
    return this.#input.selected.length
  }

  isSelected({ id }: PickerItem): boolean {
    return this.#input.selected.some((item) => item.id === id)
  }

  /** Selects an item, or removes it from the selection. Nothing is highlighted afterwards. */
  take(item: PickerItem): void {
    this.#input.query = ''
    this.#index = -1
    this.isOpen = this.#input.isMultiple
    const toggled = this.#input.toggle(item)
    if (item.isNew === true && toggled instanceof Promise) void this.#holdUntil(toggled)
  }

  /** The keys that are pressed while an item is created act after its selection. */
  async #holdUntil(created: Promise<unknown>): Promise<void> {
    this.#isCreating = true
    await created
    this.#isCreating = false
    const held = this.#held
    this.#forgetKeys()
    await pressAgain(held, tick)
  }

  /**
   * Selects the highlighted item after a pending Enter, unless the item is created: the person has not seen what Enter would create.
   * Returns the keys that were pressed after that Enter.
   */
  takeHighlighted(): readonly HeldKey[] {
    const held = this.#held
    this.#forgetKeys()
    if (this.highlighted?.isNew === true) return []
    if (this.highlighted) this.take(this.highlighted)
    return held
  }

  #forgetKeys(): void {
    this.#isEnterPending = false
    this.#held = []
  }

  /** Highlights the first item of a new query. */
  type(query: string): void {
    this.#index = query === '' ? -1 : 0
    this.#forgetKeys()
    this.isOpen = true
  }

  /** Returns whether the picker used the key. */
  press(event: KeyboardEvent): boolean {
    const { items, query, selected } = this.#input
    const last = selected.at(-1)
    if (this.#hold(event)) return true
    if (event.key === 'Enter') return this.#pressEnter(event)
    if (event.key === 'Escape') return this.#pressEscape()
    if (event.key === 'ArrowDown') this.#index = Math.min(this.#index + 1, items.length - 1)
    else if (event.key === 'ArrowUp') this.#index = Math.max(this.#index - 1, 0)
    else if (event.key === 'Backspace' && query === '' && last) this.#input.toggle(last)
    else return false
    this.isOpen = this.isOpen || event.key === 'ArrowDown'
    return true
  }

  /** Holds a key that belongs behind the pending Enter. Outside of an editor, Tab leaves the picker at once. */
  #hold(event: KeyboardEvent): boolean {
    const isWaiting = this.#isEnterPending || this.#isCreating
    if (!isWaiting || this.#input.done === undefined || !isHeld(event)) return false
    this.#held = [...this.#held, { key: event.key, shiftKey: event.shiftKey }]
    return true
  }

  #pressEnter({ ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey || isComposing) return false
    const { query, isLoading, done } = this.#input
    if (this.#isCreating) return true
    if (query === '' && !this.highlighted) {
      done?.()
      return done !== undefined
    }
    if (isLoading) this.#isEnterPending = true
    else if (this.highlighted) this.take(this.highlighted)
    return true
  }

  #pressEscape(): boolean {
    const { done, isMultiple } = this.#input
    if (done && isMultiple) done()
    else if (done || !this.isOpen) return false
    else this.isOpen = false
    return true
  }
}
