/** What keys and presses do in the grid of a table. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'
import { moveCell } from './key-navigation'
import type { Table } from '../table.svelte'

/** What the grid shows, and what only the grid can do. */
export interface GridView {
  readonly columns: readonly Attribute[]
  /** The attribute whose cells link to the page of the row. */
  readonly linked: Attribute | undefined
  /** How many rows PageUp and PageDown move. */
  readonly rowsPerPage: number
  showCell(row: number, column: number): void
  findCell(row: number, column: number): HTMLElement | null
  openRow(entity: Entity): unknown
  deleteSelected(): unknown
  /** Absent in tables of records. */
  openComments?: ((entity: Entity) => unknown) | undefined
}

export class GridKeys {
  readonly #table: Table
  readonly #view: GridView

  constructor(table: Table, view: GridView) {
    this.#table = table
    this.#view = view
  }

  /** Returns whether the grid used the key. */
  press(event: KeyboardEvent): boolean {
    if (event.altKey) return false
    const table = this.#table
    const { columns, rowsPerPage: page } = this.#view
    const active = { row: table.activeRow, column: table.activeColumn }
    const to = moveCell(event, active, { rows: table.rows.count, columns: columns.length, page })
    if (!to) return this.#act(event)
    if (event.shiftKey && to.row !== table.activeRow) this.#selectRows(table.activeRow, to.row)
    else if (!event.shiftKey) table.selection.from = to.row
    this.#moveTo(to.row, to.column)
    return true
  }

  /** A press on a cell. With Shift it selects the rows from the last one that was selected alone. */
  pressCell(event: MouseEvent, row: number, column: number): void {
    if (event.shiftKey) {
      event.preventDefault() // the browser opens links in a new window
      if (!this.#table.isReadOnly) this.#table.selection.toggle(row, true)
    } else this.#table.selection.from = row
    this.#moveTo(row, column)
  }

  /** Opens the editor of a value. A value that cannot be edited opens the page of its row, if it links there. */
  edit(entity: Entity, column: Attribute): void {
    const table = this.#table
    table.edit(entity, column, this.#view.findCell(table.activeRow, table.activeColumn))
    if (!table.editing && column === this.#view.linked) this.#view.openRow(entity)
  }

  /** Keys that act on the selection or on the active row. Returns whether this is one. */
  #act({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const table = this.#table
    const isCommand = ctrlKey || metaKey
    const entity = table.rows.at(table.activeRow)
    const column = this.#view.columns[table.activeColumn]
    if (key === 'Escape') table.selection.clear()
    else if (key === 'a' && isCommand) this.#selectRows(0, table.rows.count - 1)
    else if ((key === 'Delete' || key === 'Backspace') && table.selection.count > 0) this.#view.deleteSelected()
    else if (!entity || !column) return false
    else if (key === 'Enter' && isCommand) this.#view.openRow(entity)
    else if (key === 'Enter' || key === 'F2') this.edit(entity, column)
    else if (key === 'm' && !isCommand && this.#view.openComments) this.#view.openComments(entity)
    else if (key === ' ' && !table.isReadOnly) table.selection.toggle(table.activeRow, false)
    else return false
    return true
  }

  #selectRows(first: number, last: number): void {
    if (!this.#table.isReadOnly) this.#table.selection.addBetween(first, last)
  }

  #moveTo(row: number, column: number): void {
    this.#table.activeRow = row
    this.#table.activeColumn = column
    this.#view.showCell(row, column)
  }
}
