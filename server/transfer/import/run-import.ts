/**
 * Imports a file whose mapping is checked; the command line and the console both call it. While one batch is written, the
 * next one is prepared, and later ones are read and converted. Batches are written in order, so every row sees the
 * records that earlier rows made. See docs/decisions/import.md.
 */

import { attributeType } from '#engine/attribute-types/registry'
import type { CountryCode } from '#vocabulary/countries'
import { allowsObject, getObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { Micros } from '#base/timing/clock'
import { collectGarbage } from '#base/memory/collect-garbage'
import type { Binding } from './import-context'
import { compileRow, type ConvertedRow, type ConvertRow } from './convert/compile-row'
import { type CsvFile, readDataRows } from './csv/csv'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { bindColumns } from './mapping/bind-columns'
import type { Mapping } from './mapping/mapping'
import type { Identification } from './match/identify'
import { createTargetLookup } from './match/target-lookup'
import { malformedReason, multiselectWriteOf } from './policies'
import { NO_ROWS, type RowCounts, type RowProblem } from './row-outcomes'
import type { RowResult, WriteOptions, WriteRows } from './write/write-records'
import { prepareBatch } from './write/write-batch'
import type { CsvRow } from './csv/split-rows'
import { createSlices } from '#base/timing/in-slices'

export interface ImportRun {
  readonly importContext: BackgroundContext
  readonly objectId: string
  readonly file: CsvFile
  readonly header: readonly string[]
  /** Every attribute of the mapping exists in the model. */
  readonly mapping: Mapping
  readonly identification: Identification
  readonly country: CountryCode | undefined
  readonly batchSize: number
  /** Whether a row replaces the values of an attribute with several values instead of adding to them. */
  readonly overwrite: boolean
  /** Makes this a dry run, which writes nothing: the model as it would be with the missing attributes and options. */
  readonly plannedModel?: DataModel | undefined
  /** Continues a run that was interrupted. */
  readonly resume?: Resumption
}

export interface Resumption {
  /** The number of rows that the earlier run counted. */
  readonly readRows: number
  /** The records that it created for rows it did not count. The row that matches one of them counts as the one that created it. */
  readonly uncounted: readonly string[]
  readonly startedAt: Micros
}

export interface ImportListener {
  /** Called after each batch. */
  onProgress(counts: RowCounts): void
  /** Called for each row that was skipped and each value that was left out. */
  onProblem(problem: RowProblem): void | Promise<void>
}

export async function runImport(run: ImportRun, listener: ImportListener): Promise<RowCounts> {
  const startedAt = run.resume?.startedAt ?? run.importContext.context().now()
  const uncounted = new Set(run.resume?.uncounted)
  const counts = { ...NO_ROWS }
  for await (const { read, malformed, write } of openBatches(run)) {
    const written = await write()
    counts.read += read
    for (const result of [...malformed, ...written]) {
      count(counts, result, { startedAt, uncounted })
      if (result.outcome === 'skipped' || result.row.problems.length > 0) await reportProblems(listener, result)
    }
    listener.onProgress(counts)
    collectGarbage()
  }
  return counts
}

const MAX_BATCHES_AHEAD = 3

/** Converts fewer batches ahead when rows may refer to records that earlier rows of the same file create. */
function openBatches(run: ImportRun): AsyncGenerator<PreparedBatch> {
  const { importContext, objectId, file, header, mapping, country, batchSize, resume } = run
  const { db, model: current } = importContext.context()
  const model = run.plannedModel ?? current
  const object = getObject(model, objectId)
  const bindings = bindColumns(model, object, header, mapping.columns)
  const convert = compileRow({ model, object, bindings, country, lookup: createTargetLookup(db.sql, model) })
  const batches = readBatches({ file, width: header.length, batchSize, resumeAfter: resume?.readRows ?? 0, convert })
  const options = writeOptionsOf(run)
  return bindings.some(refersTo(object))
    ? prepareBatches(options, readAhead(batches, 1))
    : readAhead(prepareBatches(options, readAhead(batches, MAX_BATCHES_AHEAD)), 1)
}

const writeOptionsOf = (run: ImportRun): WriteOptions => ({
  importContext: run.importContext,
  objectId: run.objectId,
  identification: run.identification,
  multiselectWriteOf: (attribute) => multiselectWriteOf(attribute, run.identification, run.overwrite),
  isDryRun: run.plannedModel !== undefined,
})

const refersTo =
  (object: ObjectType) =>
  ({ attribute }: Binding): boolean =>
    attributeType(attribute.type).refersToRecords === true && allowsObject(attribute, object)

interface PreparedBatch extends Pick<Batch, 'read' | 'malformed'> {
  readonly write: WriteRows
}

/** Prepares a batch while the one before it may still be written; all earlier batches are written by then. */
async function* prepareBatches(options: WriteOptions, batches: AsyncGenerator<Batch>): AsyncGenerator<PreparedBatch> {
  let previousKeys: ReadonlySet<string> = new Set()
  for await (const { read, malformed, rows } of batches) {
    const { ownKeys, write } = await prepareBatch(options, rows, previousKeys)
    previousKeys = ownKeys
    yield { read, malformed, write }
  }
}

/** Removes the record of the result from `uncounted`. */
function count(
  counts: { -readonly [Name in keyof RowCounts]: number },
  { row, outcome, record }: RowResult,
  { startedAt, uncounted }: { readonly startedAt: Micros; readonly uncounted: Set<string> },
): void {
  const isCreation = record !== undefined && uncounted.delete(record.id)
  counts[isCreation ? 'created' : outcome]++
  if (!isCreation && record !== undefined && record.createdAt >= startedAt) counts.repeated++
  if (outcome !== 'skipped' && row.problems.length > 0) counts.incomplete++
}

async function reportProblems(listener: ImportListener, { row, outcome, reason = '' }: RowResult): Promise<void> {
  const { line, problems } = row
  if (outcome === 'skipped') await listener.onProblem({ line, outcome: 'skipped', column: '', value: '', reason })
  for (const problem of problems) await listener.onProblem({ line, outcome: 'left out', ...problem })
}

/** Produces up to `max` items of a source while the consumer works on an earlier one. Ends the source with the consumer. */
export async function* readAhead<T>(source: AsyncGenerator<T>, max: number): AsyncGenerator<T> {
  const pending: Promise<IteratorResult<T>>[] = []
  // A generator produces its items one after the other, even when several are requested.
  const fill = () => {
    while (pending.length < max) {
      const next = source.next()
      // The item is awaited later; until then, its failure must not count as unhandled.
      next.catch(() => {})
      pending.push(next)
    }
  }
  try {
    for (;;) {
      fill()
      const item = await pending.shift()
      if (!item || item.done) return
      fill()
      yield item.value
    }
  } finally {
    await source.return(undefined)
  }
}

/** Reads the rows of a file in batches and converts them. */
interface Batch {
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

interface BatchSource {
  readonly file: CsvFile
  /** The number of columns in the header. */
  readonly width: number
  readonly batchSize: number
  /** The number of rows that an earlier run imported already. */
  readonly resumeAfter: number
  readonly convert: ConvertRow
}

async function* readBatches(source: BatchSource): AsyncGenerator<Batch> {
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
