/** What a table copies: text for other programs, and the values for other tables. */

import type { Attribute } from '../../../../api/data-model/attributes'
import { inputOfValues, plainTextOfValues } from '../../../../values/registry'
import type { Table } from '../table.svelte'
import { columnsIn, entitiesIn } from './change-range'
import { htmlOf, readTsv, type TextCells, tsvOf } from './tsv'

/** The type of the values in the clipboard, which only pages of this service read. */
const VALUES_TYPE = 'application/x-relata-cells'

interface CopiedColumn {
  readonly type: string
  readonly attributeId: string
}

interface CopiedValues {
  readonly columns: readonly CopiedColumn[]
  /** The input of each cell, by row. */
  readonly rows: readonly (readonly (readonly unknown[])[])[]
}

/** What was copied: the text of each cell, and its values if a table copied them. */
export interface Copied {
  readonly text: TextCells
  readonly values: CopiedValues | undefined
}

/** Copies the selected range. Rows that are loading are copied without values. */
export function copyRange(table: Table, columns: readonly Attribute[], data: DataTransfer): void {
  const { box } = table.range
  const copied = columnsIn(columns, box)
  const entities = entitiesIn(table, box)
  const text = entities.map((entity) =>
    copied.map((attribute) => plainTextOfValues(attribute, entity?.values[attribute.api_slug] ?? [])),
  )
  const values: CopiedValues = {
    columns: copied.map(({ type, id }) => ({ type, attributeId: id.attribute_id })),
    rows: entities.map((entity) =>
      copied.map((attribute) => inputOfValues(attribute, entity?.values[attribute.api_slug] ?? [])),
    ),
  }
  data.setData('text/plain', tsvOf(text))
  data.setData('text/html', htmlOf(text))
  data.setData(VALUES_TYPE, JSON.stringify(values))
}

/** Undefined for a clipboard without text. */
export function readClipboard(data: DataTransfer): Copied | undefined {
  const text = data.getData('text/plain')
  if (text === '') return undefined
  const values = data.getData(VALUES_TYPE)
  // Only a table of this service writes this type.
  return { text: readTsv(text), values: values === '' ? undefined : (JSON.parse(values) as CopiedValues) }
}

/** The copied input of a cell, if it may be written to an attribute as it is. */
export function copiedInput(
  { values }: Copied,
  { row, column }: { readonly row: number; readonly column: number },
  attribute: Attribute,
): readonly unknown[] | undefined {
  const from = values?.columns[column]
  const input = values?.rows[row]?.[column]
  if (!from || !input || from.type !== attribute.type) return undefined
  // The options of another attribute have other ids, and so may what it refers to.
  const isPortable = from.attributeId === attribute.id.attribute_id || !REFERRING.has(attribute.type)
  return isPortable && (attribute.is_multiselect || input.length <= 1) ? input : undefined
}

const REFERRING: ReadonlySet<string> = new Set(['select', 'status'])
