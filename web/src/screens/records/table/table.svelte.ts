/** A table at work: which rows it has, where one is in it, what is selected and what is being edited. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute, OwnerPath } from '../../../api/attributes'
import { toApiError } from '../../../api/errors'
import { type Filter, type Holder, queryHolders, type SortInput } from '../../../api/holders'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
import { refusalOf, type RefusedInput } from '../../../values/refusals'
import { guessValues, isEditable } from '../../../values/registry'
import { Rows } from './rows.svelte'

/** How many rows are read at once. */
const PAGE = 200

export interface Question {
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
  /** Slugs of the attributes whose values are wanted. */
  readonly fields: readonly string[]
}

export interface Editing {
  readonly holder: Holder
  readonly attribute: Attribute
  /** What the editor lies over. */
  readonly anchor: HTMLElement
  readonly refused?: RefusedInput
}

export class Table {
  /** Of the last question that was answered. */
  rows = $state.raw<Rows>(new Rows(() => Promise.reject(new Error('Nothing was asked for.'))))
  readonly selected = new SvelteSet<string>()
  row = $state(0)
  column = $state(0)
  /** Where a range of selected rows begins. */
  selectedFrom = 0
  editing = $state.raw<Editing | undefined>()
  total = $state<number | undefined>()
  readonly owner: OwnerPath
  readonly #writes: ValueWrites
  /** Refused while something else was being edited. */
  #refused: Editing[] = []
  #question: Question = { filter: {}, sorts: [], fields: [] }

  constructor(owner: OwnerPath) {
    this.owner = owner
    this.#writes = new ValueWrites(owner, (holder) => this.rows.replace(holder))
  }

  /** Shows what is there until the first answer; gives the way to stop. For use in an effect. */
  ask(question: Question): () => void {
    const isOtherSet = JSON.stringify(question.filter) !== JSON.stringify(this.#question.filter)
    this.#question = question
    const rows = new Rows((cursor, signal) => queryHolders(this.owner, { ...question, limit: PAGE, cursor }, signal))
    if (isOtherSet) this.total = undefined
    void rows.begin().then(() => {
      if (this.#question !== question) return
      this.rows = rows
      if (isOtherSet) this.selected.clear()
    })
    return () => rows.stop()
  }

  /** Asks how many there are in all. */
  async count(): Promise<void> {
    const question = this.#question
    try {
      const body = { filter: question.filter, limit: 1, fields: [], include_count: true }
      const { total } = await queryHolders(this.owner, body)
      if (this.#question === question) this.total = total
    } catch (error) {
      toasts.fail(toApiError(error))
    }
  }

  toggle(id: string): void {
    if (!this.selected.delete(id)) this.selected.add(id)
  }

  get isAllSelected(): boolean {
    return this.rows.count > 0 && this.selected.size >= this.rows.count
  }

  selectAll(): void {
    if (this.isAllSelected) this.selected.clear()
    else this.selectBetween(0, this.rows.count - 1)
  }

  /** Selects a row or takes it out; as a range, selects the rows from the last one that was chosen alone. */
  choose(row: number, isRange: boolean): void {
    const holder = this.rows.at(row)
    if (!holder) return
    if (isRange) return this.selectBetween(this.selectedFrom, row)
    this.toggle(holder.id)
    this.selectedFrom = row
  }

  /** From one row to another, both included. */
  selectBetween(from: number, to: number): void {
    const [first, last] = from < to ? [from, to] : [to, from]
    for (let at = first; at <= last; at += 1) {
      const holder = this.rows.at(at)
      if (holder) this.selected.add(holder.id)
    }
  }

  edit(holder: Holder, attribute: Attribute, anchor: HTMLElement | null): void {
    if (anchor && isEditable(attribute)) this.editing = { holder, attribute, anchor }
  }

  /** What is refused is opened once more for editing, as it was written. */
  async save({ holder, attribute, anchor }: Editing, input: readonly unknown[]): Promise<void> {
    const guess = guessValues(this.owner, attribute, input)
    const refused = await this.#writes.write({ holder, attribute, input, guess })
    if (!refused) return
    const problem = refusalOf(refused.error, attribute, this.owner)
    const isThere = anchor.isConnected && anchor.dataset.holder === holder.id
    if (!isThere) toasts.fail(`“${attribute.title}” was not saved. ${problem}`)
    else this.#refused.push({ holder: refused.holder, attribute, anchor, refused: { input, problem } })
    if (!this.editing) this.endEdit()
  }

  /** Goes on with what was refused meanwhile. */
  endEdit(): void {
    this.editing = this.#refused.shift()
  }

  removed(ids: ReadonlySet<string>): void {
    this.rows.remove(ids)
    for (const id of ids) this.selected.delete(id)
    if (this.total !== undefined) this.total -= ids.size
  }

  added(holder: Holder): void {
    this.rows.prepend(holder)
    this.row = 0
    if (this.total !== undefined) this.total += 1
  }
}
