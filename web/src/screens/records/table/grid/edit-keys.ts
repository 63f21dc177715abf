/** Keys that edit the active cell, or clear and fill the range. */

import { flushSync } from 'svelte'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'
import { inputOfValues, isEditable, valueTypeOf } from '../../../../values/registry'
import { clearRange, fillDown } from '../cells/change-range'
import type { Table } from '../table.svelte'
import type { GridView } from './grid-keys'

interface Cell {
  readonly entity: Entity
  readonly column: Attribute
}

export class EditKeys {
  readonly #table: Table
  readonly #view: Pick<GridView, 'columns' | 'findCell'>

  constructor(table: Table, view: Pick<GridView, 'columns' | 'findCell'>) {
    this.#table = table
    this.#view = view
  }

  /** Returns whether the key was used. A letter opens an editor, which gets it, so it is not prevented. */
  press(event: KeyboardEvent, { entity, column }: Cell): boolean {
    const { key, shiftKey } = event
    const table = this.#table
    const { columns } = this.#view
    if (event.ctrlKey || event.metaKey) return this.#pressCommand(key.toLowerCase(), shiftKey)
    if (key === 'Delete' || key === 'Backspace') clearRange(table, columns)
    else if (this.#setByKey(key, { entity, column })) return true
    else {
      if (isTyped(event)) this.#type(event, { entity, column })
      return false
    }
    return true
  }

  /** A press on a value is the key that changes it without an editor. */
  pressValue(cell: Cell): void {
    this.#setByKey(' ', cell)
  }

  #pressCommand(key: string, isShifted: boolean): boolean {
    const table = this.#table
    if (key === 'd' && !isShifted) fillDown(table, this.#view.columns)
    else if (key === 'z' && !isShifted) void table.edits.undo()
    else if ((key === 'z' && isShifted) || key === 'y') void table.edits.redo()
    else return false
    return true
  }

  /** Sets a value that needs no editor: a checkbox, a rating. */
  #setByKey(key: string, { entity, column }: Cell): boolean {
    if (!isEditable(column)) return false
    const before = inputOfValues(column, entity.values[column.api_slug] ?? [])
    const input = valueTypeOf(column).keyInput?.(key, before)
    const anchor = this.#findActive()
    if (input === undefined || !anchor) return false
    void this.#table.save({ entity, attribute: column, anchor }, input)
    return true
  }

  /** Opens the editor before the browser inserts the letter, so that its input gets it. */
  #type(event: KeyboardEvent, { entity, column }: Cell): void {
    if (!isEditable(column) || valueTypeOf(column).typing === 'none') return
    event.stopPropagation() // the letter is not a shortcut of the page
    flushSync(() => this.#table.edit(entity, column, this.#findActive(), true))
  }

  #findActive(): HTMLElement | null {
    return this.#view.findCell(this.#table.activeRow, this.#table.activeColumn)
  }
}

/** Whether the key writes a sign. Space selects the row. An input method reports `Process`. */
const isTyped = ({ key }: KeyboardEvent): boolean => key === 'Process' || ([...key].length === 1 && key !== ' ')
