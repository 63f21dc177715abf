/** Writes what was copied into the cells of a table. */

import type { Attribute, RecordTypePath } from '../../../../api/data-model/attributes'
import type { ApiError } from '../../../../api/errors'
import type { ValuesInput } from '../../../../api/records/entities'
import { createRecords } from '../../../../api/records/update-many'
import { toasts } from '../../../../state/toasts.svelte'
import { type CellReading, readCell } from '../../../../values/read-cell'
import { refusalOf, refusedAttribute } from '../../../../values/refusals'
import { isEditable } from '../../../../values/registry'
import type { Table } from '../table.svelte'
import type { CellInput, CellProblem } from './cell'
import { columnsIn, entitiesIn } from './change-range'
import { type Copied, copiedInput } from './clipboard'
import { type Box, heightOf, widthOf } from './range.svelte'

/** More cells take too long. */
const MAX_CELLS = 10_000

/** Cells that cannot be read or written are named in one message; the others are written. */
export async function paste(table: Table, columns: readonly Attribute[], copied: Copied): Promise<void> {
  const box = targetOf(table, columns, copied)
  if (heightOf(box) * widthOf(box) > MAX_CELLS) return toasts.fail('Paste at most 10,000 cells at a time.')
  try {
    const { cells, problems } = await readCells(table, columnsIn(columns, box), { box, copied })
    await table.edits.write(cells, problems)
    table.range.extendTo({ row: box.bottom, column: box.right })
    offerRows(table, columns, { box, copied, read: cachedReader(table) })
  } catch (error) {
    toasts.fail(error)
  }
}

/** The range if what was copied fills it evenly, such as one cell does; else as many cells as were copied, from its corner. */
function targetOf({ range, rows }: Table, columns: readonly Attribute[], { text }: Copied): Box {
  const { box } = range
  const [height, width] = [text.length, text[0]?.length ?? 0]
  if (heightOf(box) % height === 0 && widthOf(box) % width === 0) return box
  const bottom = Math.min(box.top + height - 1, rows.count - 1)
  return { ...box, bottom, right: Math.min(box.left + width - 1, columns.length - 1) }
}

/** Says that copied rows lie beyond the last row, and offers to add records with their values. */
function offerRows(table: Table, columns: readonly Attribute[], beyond: RowsBeyond): void {
  const { rows, isReadOnly } = table
  const { kind, slug } = table.entityType
  const { box, copied } = beyond
  const count = copied.text.length - heightOf(box)
  if (count <= 0 || !rows.hasEnd || box.bottom < rows.count - 1) return
  const text = count === 1 ? "1 row didn't fit below the last row." : `${count} rows didn't fit below the last row.`
  // An entry needs a record, which the cells do not name.
  if (kind === 'lists' || isReadOnly) return toasts.show(text)
  const label = count === 1 ? 'Add 1 row' : `Add ${count} rows`
  toasts.show(text, { label, act: () => addRows(table, { kind, slug }, columnsIn(columns, box), beyond) })
}

interface RowsBeyond extends Target {
  readonly read: ReturnType<typeof cachedReader>
}

async function addRows(
  table: Table,
  type: RecordTypePath,
  columns: readonly Attribute[],
  { box, copied, read }: RowsBeyond,
): Promise<void> {
  try {
    const records: ValuesInput[] = []
    const problems: string[] = []
    for (let row = heightOf(box); row < copied.text.length; row++) {
      const values: Record<string, readonly unknown[]> = {}
      for (const [column, attribute] of columns.entries()) {
        const reading = isEditable(attribute) ? await read(copied, { row, column }, attribute) : { input: [] }
        if ('problem' in reading) problems.push(`${attribute.title}: ${reading.problem}`)
        else if (reading.input.length > 0) values[attribute.api_slug] = reading.input
      }
      records.push(values)
    }
    const results = await createRecords(type, records)
    const created = results.flatMap((result) => ('entity' in result ? [result.entity] : []))
    for (const entity of created.toReversed()) table.addRow(entity)
    for (const result of results) if ('error' in result) problems.push(refusedRowText(result.error, type, columns))
    if (problems.length > 0) toasts.fail(addedText(created.length, problems))
    else toasts.show(created.length === 1 ? '1 row added' : `${created.length} rows added`)
  } catch (error) {
    toasts.fail(error)
  }
}

function refusedRowText(error: ApiError, type: RecordTypePath, columns: readonly Attribute[]): string {
  const attribute = refusedAttribute(error, columns)
  return attribute ? `${attribute.title}: ${refusalOf(error, attribute, type)}` : error.message
}

const MAX_NAMED = 3

function addedText(created: number, problems: readonly string[]): string {
  const rest = problems.length > MAX_NAMED ? [`And ${problems.length - MAX_NAMED} more.`] : []
  return [`${created} ${created === 1 ? 'row' : 'rows'} added.`, ...problems.slice(0, MAX_NAMED), ...rest].join(' ')
}

interface Target {
  readonly box: Box
  readonly copied: Copied
}

async function readCells(table: Table, columns: readonly Attribute[], { box, copied }: Target) {
  const cells: CellInput[] = []
  const problems: CellProblem[] = []
  const read = cachedReader(table)
  for (const [row, entity] of entitiesIn(table, box).entries()) {
    for (const [column, attribute] of columns.entries()) {
      if (!entity) continue
      const from = { row: row % copied.text.length, column: column % (copied.text[0]?.length ?? 1) }
      const reading = isEditable(attribute) ? await read(copied, from, attribute) : READ_ONLY
      if ('problem' in reading) problems.push({ entity, attribute, problem: reading.problem })
      else cells.push({ entity, attribute, input: reading.input })
    }
  }
  return { cells, problems }
}

const READ_ONLY: CellReading = { problem: "This value can't be edited." }

/** Reads each text of a column once: names are looked up. */
function cachedReader({ entityType }: Table) {
  const readings = new Map<string, CellReading>()
  return async (copied: Copied, from: { row: number; column: number }, attribute: Attribute): Promise<CellReading> => {
    const input = copiedInput(copied, from, attribute)
    if (input) return { input }
    const text = copied.text[from.row]?.[from.column] ?? ''
    const key = `${attribute.id.attribute_id} ${text}`
    const reading = readings.get(key) ?? (await readCell(entityType, attribute, text))
    readings.set(key, reading)
    return reading
  }
}
