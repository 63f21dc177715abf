/** Reads the rows of a file in batches and converts them. */

import type { ConvertedRow, ConvertRow } from './convert/compile-row'
import { type CsvFile, readDataRows } from './csv/csv'
import { type CsvRow } from './csv/split-rows'
import { createSlices } from '#base/timing/in-slices'
import { malformedReason } from './policies'
import type { RowResult } from './write/row-result'

export interface Batch {
  /** Counts the malformed rows, too. */
  readonly read: number
  readonly rows: readonly ConvertedRow[]
  readonly malformed: readonly RowResult[]
}

interface GrowingBatch extends Batch {
  read: number
  readonly rows: ConvertedRow[]
  readonly malformed: RowResult[]
}

export interface BatchSource {
  readonly file: CsvFile
  /** The number of columns in the header. */
  readonly width: number
  readonly batchSize: number
  /** The number of rows that an earlier run imported already. */
  readonly resumeAfter: number
  readonly convert: ConvertRow
}

export async function* readBatches(source: BatchSource): AsyncGenerator<Batch> {
  let batch = emptyBatch()
  let rowsToPass = source.resumeAfter
  // Rows that are skipped wait for nothing else.
  const pauseAfterSlice = createSlices()
  for await (const chunk of readDataRows(source.file)) {
    const rows = chunk.filter(isFilled)
    rowsToPass -= rows.splice(0, rowsToPass).length
    while (rows.length > 0) {
      await pauseAfterSlice()
      await addRows(source, batch, rows.splice(0, source.batchSize - batch.read))
      if (batch.read < source.batchSize) continue
      yield batch
      batch = emptyBatch()
    }
  }
  if (batch.read > 0) yield batch
}

const emptyBatch = (): GrowingBatch => ({ read: 0, rows: [], malformed: [] })

const isFilled = ({ cells }: CsvRow): boolean => cells.some((cell) => cell.trim() !== '')

/** Waits once for all rows of a chunk, and only when one of them refers to a record that is not cached. */
async function addRows({ convert, width }: BatchSource, batch: GrowingBatch, rows: readonly CsvRow[]): Promise<void> {
  batch.read += rows.length
  const converted: (ConvertedRow | Promise<ConvertedRow>)[] = []
  for (const row of rows) {
    const reason = malformedReason(row.cells, width)
    if (reason === undefined) converted.push(convert(row))
    else batch.malformed.push(malformedRow(row, reason))
  }
  const isPending = converted.some((row) => row instanceof Promise)
  // Without a promise among them, they are what `Promise.all` would give.
  for (const row of isPending ? await Promise.all(converted) : (converted as ConvertedRow[])) batch.rows.push(row)
}

const malformedRow = ({ line }: CsvRow, reason: string): RowResult => ({
  row: { line, assignments: [], fillIfEmpty: [], problems: [] },
  outcome: 'skipped',
  reason,
})
