/** A table at work: which rows it has, where one is in it, what is selected and what is being edited. */

import { SvelteSet } from 'svelte/reactivity'
import type { Attribute, OwnerPath } from '../../../api/attributes'
import { toApiError } from '../../../api/errors'
import { type Filter, type Holder, queryHolders, type SortInput } from '../../../api/holders'
import { toasts } from '../../../state/toasts.svelte'
import { ValueWrites } from '../../../state/value-writes'
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
  readonly anchor: Element
}

export class Table {
  /** Of the last question that was answered. */
  rows = $state.raw<Rows>(new Rows(() => Promise.reject(new Error('Nothing was asked for.'))))
  readonly selected = new SvelteSet<string>()
  row = $state(0)
  column = $state(0)
  editing = $state.raw<Editing | undefined>()
  total = $state<number | undefined>()
  readonly owner: OwnerPath
  readonly #writes: ValueWrites
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

  /** From one row to another, both included. */
  selectBetween(from: number, to: number): void {
    const [first, last] = from < to ? [from, to] : [to, from]
    for (let at = first; at <= last; at += 1) {
      const holder = this.rows.at(at)
      if (holder) this.selected.add(holder.id)
    }
  }

  edit(holder: Holder, attribute: Attribute, anchor: Element | null): void {
    if (anchor && isEditable(attribute)) this.editing = { holder, attribute, anchor }
  }

  save(holder: Holder, attribute: Attribute, input: readonly unknown[]): Promise<void> {
    const guess = guessValues(this.owner, attribute, input)
    return this.#writes.write({ holder, attribute, input, guess })
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
