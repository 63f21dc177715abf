/**
 * Runs through a file: while one batch is being written, the next is made ready for it, and those behind it are read and
 * converted. Batches are written one after the other, so that every row sees what those before it became.
 * docs/decisions/0028.
 */

import type { CountryCode } from '../attribute-types/data/country-codes'
import type { DataModel, ObjectType } from '../data-model/model'
import { type CellProblem, compileRow, type ConvertedRow, type ConvertRow } from './convert/compile-row'
import { type CsvFile, type CsvRow, readRows } from './csv/csv'
import { createGarbageCollector } from './collect-garbage'
import { createTargetLookup } from './match/target-lookup'
import type { Binding } from './mapping/bind-columns'
import { readAhead } from './csv/read-ahead'
import { prepareBatch } from './write/write-batch'
import type { RowOutcome, WriteRows, WriteOptions, RowResult } from './write/row-result'

export interface Import {
  readonly file: CsvFile
  /** The model the bindings are of. */
  readonly model: DataModel
  readonly object: ObjectType
  readonly bindings: readonly Binding[]
  readonly country: CountryCode | undefined
  readonly batchSize: number
  readonly writeOptions: WriteOptions
  /** So many rows were imported before, and are passed over. */
  readonly after?: number
}

export interface RowCounts extends Readonly<Record<RowOutcome, number>> {
  readonly read: number
  /** Rows about a record that an earlier row of the same file had made. */
  readonly repeated: number
  /** Rows written without some of their values. */
  readonly incomplete: number
}

/** What is told while it runs. */
export interface ImportListener {
  onProgress(counts: RowCounts): void
  /** A row that was not imported, or a value of one that was not. */
  onProblem(problem: { line: number; outcome: 'skipped' | 'left out' } & CellProblem): void | Promise<void>
}

export async function importRows(plan: Import, listener: ImportListener): Promise<RowCounts> {
  const startedAt = plan.writeOptions.importContext.context().now()
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, repeated: 0, incomplete: 0 }
  const tidy = createGarbageCollector()
  for await (const { read, malformed, write } of readyBatches(plan)) {
    const written = await write()
    counts.read += read
    for (const row of [...malformed, ...written]) {
      count(counts, row, startedAt)
      if (row.outcome === 'skipped' || row.row.problems.length > 0) await report(listener, row)
    }
    listener.onProgress(counts)
    tidy(counts.read)
  }
  return counts
}

const MOST_AHEAD = 3

/** Rows may refer to records that rows before them become: the fewer are converted ahead, the more of those are there. */
const readyBatches = (plan: Import): AsyncGenerator<ReadyBatch> =>
  plan.bindings.some(refersTo(plan.object))
    ? makeReady(plan, readAhead(readBatches(plan), 1))
    : readAhead(makeReady(plan, readAhead(readBatches(plan), MOST_AHEAD)), 1)

const refersTo =
  ({ id }: ObjectType) =>
  ({ attribute: { type, config } }: Binding): boolean => {
    const allowed = config.record_reference?.allowed_object_ids ?? []
    return type === 'record-reference' && (allowed.length === 0 || allowed.includes(id))
  }

interface Batch {
  /** How many rows of the file it stands for. */
  read: number
  readonly rows: ConvertedRow[]
  readonly malformed: RowResult[]
}

interface ReadyBatch extends Pick<Batch, 'read' | 'malformed'> {
  readonly write: WriteRows
}

/** Each while the one before it may still be being written; all before that are. */
async function* makeReady({ writeOptions }: Import, batches: AsyncGenerator<Batch>): AsyncGenerator<ReadyBatch> {
  let claimedBefore: ReadonlySet<string> = new Set()
  for await (const { read, malformed, rows } of batches) {
    const { claims, write } = await prepareBatch(writeOptions, rows, claimedBefore)
    claimedBefore = claims
    yield { read, malformed, write }
  }
}

async function* readBatches(plan: Import): AsyncGenerator<Batch> {
  const convert = converterOf(plan)
  let batch: Batch = { read: 0, rows: [], malformed: [] }
  let width: number | undefined
  let passing = plan.after ?? 0
  for await (const piece of readRows(plan.file)) {
    const rows = (width === undefined ? piece.slice(1) : piece).filter(isFilled)
    width ??= piece[0]?.cells.length
    passing -= rows.splice(0, passing).length
    while (rows.length > 0) {
      await addRows(convert, batch, rows.splice(0, plan.batchSize - batch.read), width)
      if (batch.read < plan.batchSize) continue
      yield batch
      batch = { read: 0, rows: [], malformed: [] }
    }
  }
  if (batch.read > 0) yield batch
}

/** Waits once for all rows of a piece, and only when any refers to what is not known yet. */
async function addRows(
  convert: ConvertRow,
  batch: Batch,
  rows: readonly CsvRow[],
  width: number | undefined,
): Promise<void> {
  batch.read += rows.length
  const converted: (ConvertedRow | Promise<ConvertedRow>)[] = []
  for (const row of rows) {
    const misfit = findMisfit(row, width)
    if (misfit) batch.malformed.push(misfit)
    else converted.push(convert(row))
  }
  const waits = converted.some((row) => row instanceof Promise)
  // Without a promise among them they are what `Promise.all` would give.
  for (const row of waits ? await Promise.all(converted) : (converted as ConvertedRow[])) batch.rows.push(row)
}

const isFilled = ({ cells }: CsvRow): boolean => cells.some((cell) => cell.trim() !== '')

function converterOf({ model, object, bindings, country, writeOptions }: Import): ConvertRow {
  const lookup = createTargetLookup(writeOptions.importContext.context().db.sql, model)
  return compileRow({ model, object, bindings, country, lookup })
}

/** A row with too few or too many cells has probably lost a quote, and its values stand in the wrong columns. */
function findMisfit({ line, cells }: CsvRow, width = cells.length): RowResult | undefined {
  const isFit = cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === ''))
  if (isFit) return undefined
  const reason = `It has ${cells.length} columns, and the header ${width}.`
  return { row: { line, assignments: [], fillIfEmpty: [], problems: [] }, outcome: 'skipped', reason }
}

function count(
  counts: { -readonly [Name in keyof RowCounts]: number },
  { row, outcome, recordCreatedAt }: RowResult,
  startedAt: number,
): void {
  counts[outcome]++
  if (recordCreatedAt !== undefined && recordCreatedAt >= startedAt) counts.repeated++
  if (outcome !== 'skipped' && row.problems.length > 0) counts.incomplete++
}

async function report(listener: ImportListener, { row, outcome, reason = '' }: RowResult): Promise<void> {
  const { line, problems } = row
  if (outcome === 'skipped') await listener.onProblem({ line, outcome: 'skipped', column: '', value: '', reason })
  for (const problem of problems) await listener.onProblem({ line, outcome: 'left out', ...problem })
}
