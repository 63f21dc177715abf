/** Writes what was copied into the cells of a table. */

import type { Attribute } from '../../../../api/data-model/attributes'
import { toasts } from '../../../../state/toasts.svelte'
import { type CellReading, readCell } from '../../../../values/read-cell'
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
