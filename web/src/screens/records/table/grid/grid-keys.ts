/** What keys and presses do in the grid of a table. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity, RecordTarget } from '../../../../api/records/entities'
import { referencedRecord } from '../../../../api/records/referenced-values'
import { EditKeys } from './edit-keys'
import type { Direction } from './editor-keys'
import { type CellPosition, moveCell } from './key-navigation'
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
  openReferenced(record: RecordTarget): unknown
  deleteSelected(): unknown
  /** Absent in tables of records. */
  openComments?: ((entity: Entity) => unknown) | undefined
}

export class GridKeys {
  readonly #table: Table
  readonly #view: GridView
  readonly #editKeys: EditKeys

  constructor(table: Table, view: GridView) {
    this.#table = table
    this.#view = view
    this.#editKeys = new EditKeys(table, view)
  }

  /** Returns whether the grid used the key. */
  press(event: KeyboardEvent): boolean {
    if (event.altKey) return false
    const table = this.#table
    const { columns, rowsPerPage: page } = this.#view
    const active = { row: table.activeRow, column: table.activeColumn }
    const from = event.shiftKey ? table.range.end : active
    const to = moveCell(event, from, { rows: table.rows.count, columns: columns.length, page })
    if (!to) return this.#act(event)
    if (event.shiftKey) this.extendTo(to)
    else this.#moveTo(to.row, to.column)
    return true
  }

  /** Moves the active cell after an edit. */
  move(direction: Direction): void {
    const { activeRow: row, activeColumn: column, rows } = this.#table
    const key = { down: 'ArrowDown', up: 'ArrowUp', right: 'ArrowRight', left: 'ArrowLeft' }[direction]
    const extent = { rows: rows.count, columns: this.#view.columns.length, page: 1 }
    const to = moveCell({ key, ctrlKey: false, metaKey: false }, { row, column }, extent)
    if (to) this.#moveTo(to.row, to.column)
  }

  /** Extends the range of cells, and shows its end. */
  extendTo(to: CellPosition): void {
    const { range } = this.#table
    range.extendTo(to)
    this.#view.showCell(range.end.row, range.end.column)
  }

  /** Moves the active cell, from which a range can be extended. */
  activate({ row, column }: CellPosition): void {
    this.#table.selection.from = row
    this.#moveTo(row, column)
  }

  /** Opens the editor of a value. A value that cannot be edited opens the page of its row or its record, if it links there. */
  edit(entity: Entity, column: Attribute): void {
    const table = this.#table
    table.edit(entity, column, this.#view.findCell(table.activeRow, table.activeColumn))
    const referenced = referencedRecord(entity, column.api_slug)
    if (referenced) this.#view.openReferenced(referenced)
    else if (!table.editing && column === this.#view.linked) this.#view.openRow(entity)
  }

  /** Changes a value that a press changes, such as a checkbox. The press has made its cell the active one. */
  pressValue(cell: CellPosition | undefined): void {
    const entity = this.#table.rows.at(cell?.row ?? -1)
    const column = this.#view.columns[cell?.column ?? -1]
    if (entity && column) this.#editKeys.pressValue({ entity, column })
  }

  /** Keys that act on the selection or on the active row. Returns whether this is one. */
  #act(event: KeyboardEvent): boolean {
    const { key, ctrlKey, metaKey, shiftKey } = event
    const table = this.#table
    const isCommand = ctrlKey || metaKey
    const entity = table.rows.at(table.activeRow)
    const column = this.#view.columns[table.activeColumn]
    if (key === 'Escape' && !table.range.isSingle) table.range.collapse()
    else if (key === 'Escape') table.selection.clear()
    else if (key === 'a' && isCommand) this.#selectRows(0, table.rows.count - 1)
    else if ((key === 'Delete' || key === 'Backspace') && table.selection.count > 0) this.#view.deleteSelected()
    else if (!entity || !column) return false
    else if (key === 'Enter' && isCommand) this.#view.openRow(entity)
    else if (key === 'F2' && shiftKey && this.#view.openComments) this.#view.openComments(entity)
    else if (key === 'Enter' || key === 'F2') this.edit(entity, column)
    else if (this.#editKeys.press(event, { entity, column })) return true
    else if (key === ' ' && shiftKey) this.#selectRows(table.range.box.top, table.range.box.bottom)
    else if (key === ' ' && !table.isReadOnly) table.selection.toggle(table.activeRow, false)
    else return false
    return true
  }

  #selectRows(first: number, last: number): void {
    if (!this.#table.isReadOnly) this.#table.selection.addBetween(first, last)
  }

  #moveTo(row: number, column: number): void {
    this.#table.range.collapse()
    this.#table.activeRow = row
    this.#table.activeColumn = column
    this.#view.showCell(row, column)
  }
}
