/**
 * Imports a file whose mapping is checked; the command line and the console both call it. While one batch is written, the
 * next one is prepared, and later ones are read and converted. Batches are written in order, so every row sees the
 * records that earlier rows made. Decision 0028.
 */

import { attributeType } from '#engine/attribute-types/registry'
import type { CountryCode } from '#engine/attribute-types/data/country-codes'
import { allowsObject, getObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { Micros } from '#base/timing/clock'
import { collectGarbage } from '#base/memory/collect-garbage'
import type { Binding } from './binding'
import { compileRow } from './convert/compile-row'
import type { CsvFile } from './csv/csv'
import { readAhead } from './csv/read-ahead'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { bindColumns } from './mapping/bind-columns'
import type { Mapping } from './mapping/mapping'
import type { Identification } from './match/identify'
import { createTargetLookup } from './match/target-lookup'
import { multiselectWriteOf } from './policies'
import type { RowProblem } from './problems/row-problem'
import { type Batch, readBatches } from './read-batches'
import { NO_ROWS, type RowCounts } from './row-counts'
import type { RowResult, WriteOptions, WriteRows } from './write/row-result'
import { prepareBatch } from './write/write-batch'

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
