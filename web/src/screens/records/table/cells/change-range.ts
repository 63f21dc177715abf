/** Clears and fills the selected range of a table. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Entity } from '../../../../api/records/entities'
import { inputOfValues, isEditable } from '../../../../values/registry'
import type { Table } from '../table.svelte'
import type { CellInput } from './cell'
import type { Box } from './range.svelte'

/** The loaded rows of a range. */
export const entitiesIn = ({ rows }: Table, { top, bottom }: Box): (Entity | undefined)[] =>
  Array.from({ length: bottom - top + 1 }, (_, at) => rows.at(top + at))

export const columnsIn = (columns: readonly Attribute[], { left, right }: Box): readonly Attribute[] =>
  columns.slice(left, right + 1)

/** Removes the values of all cells that can be edited. */
export function clearRange(table: Table, columns: readonly Attribute[]): void {
  const { box } = table.range
  const editable = columnsIn(columns, box).filter(isEditable)
  const entities = entitiesIn(table, box).filter((entity) => entity !== undefined)
  void table.edits.write(entities.flatMap((entity) => editable.map((attribute) => ({ entity, attribute, input: [] }))))
}

/** Writes the values of the first row into the others; those of the row above if the range has one row. */
export function fillDown(table: Table, columns: readonly Attribute[]): void {
  const { box } = table.range
  const from = table.rows.at(box.top === box.bottom ? box.top - 1 : box.top)
  if (!from) return
  const editable = columnsIn(columns, box).filter(isEditable)
  const into = entitiesIn(table, box).filter((entity) => entity !== undefined && entity !== from)
  const cells: CellInput[] = into.flatMap((entity) =>
    entity === undefined ? [] : editable.map((attribute) => ({ entity, attribute, input: inputIn(from, attribute) })),
  )
  void table.edits.write(cells)
}

const inputIn = (entity: Entity, attribute: Attribute): readonly unknown[] =>
  inputOfValues(attribute, entity.values[attribute.api_slug] ?? [])
