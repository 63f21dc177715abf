/** The state of a picker: which item is highlighted, whether the list is open, and what each key does. */

export interface PickerItem {
  readonly id: string
  readonly label: string
  readonly detail?: string | undefined
  /** How an option or status is shown. */
  readonly chip?: {
    readonly title: string
    readonly tone: number
    readonly isStatus: boolean
    readonly before?: string
  }
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
    this.#input.toggle(item)
  }

  takeHighlighted(): void {
    this.#isEnterPending = false
    if (this.highlighted) this.take(this.highlighted)
  }

  /** Highlights the first item of a new query. */
  type(query: string): void {
    this.#index = query === '' ? -1 : 0
    this.#isEnterPending = false
    this.isOpen = true
  }

  /** Returns whether the picker used the key. */
  press(event: KeyboardEvent): boolean {
    const { items, query, selected } = this.#input
    const last = selected.at(-1)
    if (event.key === 'Enter') return this.#pressEnter(event)
    if (event.key === 'Escape') return this.#pressEscape()
    if (event.key === 'ArrowDown') this.#index = Math.min(this.#index + 1, items.length - 1)
    else if (event.key === 'ArrowUp') this.#index = Math.max(this.#index - 1, 0)
    else if (event.key === 'Backspace' && query === '' && last) this.#input.toggle(last)
    else return false
    this.isOpen = this.isOpen || event.key === 'ArrowDown'
    return true
  }

  #pressEnter({ ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey || isComposing) return false
    const { query, isLoading, done } = this.#input
    if (query === '' && !this.highlighted) {
      done?.()
      return done !== undefined
    }
    if (isLoading) this.#isEnterPending = true
    else this.takeHighlighted()
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
