/**
 * Runs through a file: while one batch is being written, the next is read and converted. Batches are written one after
 * the other, so that every row sees what those before it became.
 */

import type { CountryCode } from '../attribute-types/country-codes'
import type { DataModel, ObjectOwner } from '../data-model/model'
import { recordLookup } from '../values/lookup'
import { type CellProblem, type ConvertedRow, convertRow, type RowContext } from './convert-row'
import { type CsvFile, type CsvRow, readCsv } from './csv'
import { rememberTargets } from './known-targets'
import type { Binding } from './plan'
import { rememberCells } from './remembered-cells'
import { type Outcome, writeBatch, type Writing, type WrittenRow } from './write-batch'

export interface Import {
  readonly file: CsvFile
  /** The model the bindings are of. */
  readonly model: DataModel
  readonly object: ObjectOwner
  readonly bindings: readonly Binding[]
  readonly country: CountryCode | undefined
  readonly batchSize: number
  readonly writing: Writing
}

export interface Counts extends Readonly<Record<Outcome, number>> {
  readonly read: number
  /** Rows about a record that an earlier row of the same file had made. */
  readonly repeated: number
  /** Rows written without some of their values. */
  readonly incomplete: number
}

/** What is told while it runs. */
export interface Listener {
  onProgress(counts: Counts): void
  /** A row that was not imported, or a value of one that was not. */
  onProblem(problem: { line: number; outcome: 'skipped' | 'left out' } & CellProblem): void | Promise<void>
}

export async function importRows(plan: Import, listener: Listener): Promise<Counts> {
  const startedAt = plan.writing.session.call().now()
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, repeated: 0, incomplete: 0 }
  const write = async ({ rows, misfits, read }: Batch) => {
    const written = [...misfits, ...(await writeBatch(plan.writing, rows))]
    counts.read += read
    for (const row of written) {
      count(counts, row, startedAt)
      if (row.outcome === 'skipped' || row.row.problems.length > 0) await report(listener, row)
    }
    listener.onProgress(counts)
  }
  let writing: Promise<void> = Promise.resolve()
  for await (const batch of readBatches(plan)) {
    await writing
    writing = write(batch)
    // It is awaited before the next one; a failure until then must not count as unhandled.
    writing.catch(() => {})
  }
  await writing
  return counts
}

interface Batch {
  /** How many rows of the file it stands for. */
  read: number
  readonly rows: ConvertedRow[]
  readonly misfits: WrittenRow[]
}

async function* readBatches(plan: Import): AsyncGenerator<Batch> {
  const context = contextOf(plan)
  let batch: Batch = { read: 0, rows: [], misfits: [] }
  let width: number | undefined
  for await (const row of readCsv(plan.file)) {
    if (width === undefined) {
      width = row.cells.length
      continue
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue
    batch.read++
    const misfit = findMisfit(row, width)
    if (misfit) batch.misfits.push(misfit)
    else batch.rows.push(await convertRow(context, row))
    if (batch.read < plan.batchSize) continue
    yield batch
    batch = { read: 0, rows: [], misfits: [] }
  }
  if (batch.read > 0) yield batch
}

function contextOf({ model, object, bindings, country, writing }: Import): RowContext {
  const lookup = rememberTargets(recordLookup(writing.session.call().db.sql, model))
  return { model, object, bindings, country, lookup, remembered: rememberCells() }
}

/** A row with too few or too many cells has probably lost a quote, and its values stand in the wrong columns. */
function findMisfit({ line, cells }: CsvRow, width: number): WrittenRow | undefined {
  const isFit = cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === ''))
  if (isFit) return undefined
  const reason = `It has ${cells.length} columns, and the header ${width}.`
  return { row: { line, assignments: [], asides: [], problems: [] }, outcome: 'skipped', reason }
}

function count(
  counts: { -readonly [Name in keyof Counts]: number },
  { row, outcome, metCreatedAt }: WrittenRow,
  startedAt: number,
): void {
  counts[outcome]++
  if (metCreatedAt !== undefined && metCreatedAt >= startedAt) counts.repeated++
  if (outcome !== 'skipped' && row.problems.length > 0) counts.incomplete++
}

async function report(listener: Listener, { row, outcome, reason = '' }: WrittenRow): Promise<void> {
  const { line, problems } = row
  if (outcome === 'skipped') await listener.onProblem({ line, outcome: 'skipped', column: '', value: '', reason })
  for (const problem of problems) await listener.onProblem({ line, outcome: 'left out', ...problem })
}
