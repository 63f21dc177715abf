/**
 * Writes a batch of rows. Rows that share a unique value or a name are written one after the other, so that the second
 * matches the record of the first. All other rows are written together.
 */

import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { type IdentifiedRow, identify } from '#transfer/import/match/identify'
import { findMatches } from '#transfer/import/match/target-lookup'
import { ambiguousMatchReason, unmatchedReason } from '#transfer/import/policies'
import {
  apiErrorMessage,
  changesOtherRecords,
  createImportedRecord,
  prepareRecords,
  requiredAttributes,
  type RowResult,
  skipRefusedRow,
  updateImportedRecord,
  wouldChange,
  type WriteOptions,
  type WriteRecords,
  type WriteRows,
} from './write-records'
import { getObject } from '#engine/data-model/find'
import { ReservedCharacterError } from '#engine/storage/rows-text'
import type { Attribute } from '#engine/data-model/model'
import { readRecords, type StoredRecord } from '#engine/storage/statements/read-many-records'
import { isStored } from '#transfer/import/mapping/check-mapping'
import { attributeIn } from '#transfer/import/import-context'

interface PreparedBatch {
  /** The keys by which later rows may match the records of this batch. */
  readonly ownKeys: ReadonlySet<string>
  readonly write: WriteRows
}

/** Runs while the previous batch is written. Rows that depend on its keys are prepared after it. */
export async function prepareBatch(
  writeOptions: WriteOptions,
  rows: readonly ConvertedRow[],
  previousKeys: ReadonlySet<string>,
): Promise<PreparedBatch> {
  const identified = rows.map((row) => identify(writeOptions.identification, row))
  const { independent, dependent, ownKeys } = splitByDependency(identified, previousKeys)
  const writeIndependent = await prepareRows(writeOptions, independent)
  const write = async () => {
    const written = await writeIndependent()
    for (let remaining = dependent; remaining.length > 0;) {
      const split = splitByDependency(remaining, NO_KEYS)
      const writeNext = await prepareRows(writeOptions, split.independent)
      written.push(...(await writeNext()))
      remaining = split.dependent
    }
    return written
  }
  return { ownKeys, write }
}

const NO_KEYS: ReadonlySet<string> = new Set()

interface SplitRows {
  /** Rows that depend on no key of the previous batch or of an earlier row. */
  readonly independent: readonly IdentifiedRow[]
  /** The other rows, in their order. */
  readonly dependent: readonly IdentifiedRow[]
  /** The keys of all rows. */
  readonly ownKeys: ReadonlySet<string>
}

function splitByDependency(rows: readonly IdentifiedRow[], previousKeys: ReadonlySet<string>): SplitRows {
  const ownKeys = new Set<string>()
  const independent: IdentifiedRow[] = []
  const dependent: IdentifiedRow[] = []
  for (const row of rows) {
    const isDependent = row.dependsOn.some((key) => ownKeys.has(key) || previousKeys.has(key))
    ;(isDependent ? dependent : independent).push(row)
    for (const key of row.ownKeys) ownKeys.add(key)
  }
  return { independent, dependent, ownKeys }
}

async function prepareRows(writeOptions: WriteOptions, rows: readonly IdentifiedRow[]): Promise<WriteRows> {
  const matches = await findMatches(writeOptions, rows)
  const ambiguous: RowResult[] = []
  const unmatched: IdentifiedRow[] = []
  const matched: { row: ConvertedRow; id: string }[] = []
  for (const [index, identified] of rows.entries()) {
    const { row } = identified
    const [id, ...others] = matches[index] ?? []
    if (others.length > 0) {
      const reason = ambiguousMatchReason(writeOptions.identification, identified, others.length + 1)
      ambiguous.push({ row, outcome: 'skipped', reason })
    } else if (id === undefined) unmatched.push(identified)
    else matched.push({ row, id })
  }
  const createRecords = await prepareCreation(writeOptions, unmatched)
  return async () => [...ambiguous, ...(await createRecords()), ...(await updateRecords(writeOptions, matched))]
}

/** Creates the records of rows that match none: in one statement, or one by one when they change other records. */
async function prepareCreation(writeOptions: WriteOptions, rows: readonly IdentifiedRow[]): Promise<WriteRows> {
  const { importContext, objectId, identification, isDryRun } = writeOptions
  const { model } = importContext.context()
  const required = requiredAttributes(model, getObject(model, objectId))
  const skipped: RowResult[] = []
  const together: ConvertedRow[] = []
  const alone: ConvertedRow[] = []
  for (const identified of rows) {
    const { row } = identified
    const reason = unmatchedReason(identification, identified, required)
    if (reason !== undefined) skipped.push({ row, outcome: 'skipped', reason })
    else (changesOtherRecords(model, row) ? alone : together).push(row)
  }
  if (isDryRun) return async () => [...skipped, ...together.map(asCreated), ...alone.map(asCreated)]
  const createTogether = await prepareTogether(writeOptions, together)
  return async () => [
    ...skipped,
    ...(await writeTogether(writeOptions, together, createTogether)),
    ...(await writeAlone(writeOptions, alone)),
  ]
}

const asCreated = (row: ConvertedRow): RowResult => ({ row, outcome: 'created' })

/** Undefined when there are no rows, or when they cannot be written together. */
async function prepareTogether(
  { importContext, objectId }: WriteOptions,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords | undefined> {
  if (rows.length === 0) return undefined
  try {
    return await prepareRecords(importContext, objectId, rows)
  } catch (error) {
    if (error instanceof ReservedCharacterError) return undefined
    throw error
  }
}

/** Writes the rows one by one when they cannot be written together, to find the row that is refused. */
async function writeTogether(
  writeOptions: WriteOptions,
  rows: readonly ConvertedRow[],
  create: WriteRecords | undefined,
): Promise<RowResult[]> {
  if (create === undefined) return writeAlone(writeOptions, rows)
  try {
    await create()
    return rows.map(asCreated)
  } catch (error) {
    if (apiErrorMessage(error) === undefined) throw error
    return writeAlone(writeOptions, rows)
  }
}

async function writeAlone(writeOptions: WriteOptions, rows: readonly ConvertedRow[]): Promise<RowResult[]> {
  const written: RowResult[] = []
  for (const row of rows) written.push(await writeOne(writeOptions, row))
  return written
}

/** Looks for a match again, since another writer may have created the record in the meantime. */
async function writeOne(writeOptions: WriteOptions, row: ConvertedRow): Promise<RowResult> {
  const [[id] = []] = await findMatches(writeOptions, [identify(writeOptions.identification, row)])
  if (id !== undefined) {
    const [written] = await updateRecords(writeOptions, [{ row, id }])
    if (written) return written
  }
  try {
    await createImportedRecord(writeOptions.importContext, writeOptions.objectId, row)
    return asCreated(row)
  } catch (error) {
    return skipRefusedRow(error, row)
  }
}

// Updates the records that rows match, and leaves those alone that would not change.

/** A row and the id of the record it matches. */
interface MatchedRow {
  readonly row: ConvertedRow
  readonly id: string
}

const MAX_CONCURRENT_UPDATES = 4

async function updateRecords(writeOptions: WriteOptions, rows: readonly MatchedRow[]): Promise<RowResult[]> {
  const { importContext, objectId, multiselectWriteOf } = writeOptions
  const { model, db } = importContext.context()
  const attributes = attributesOf(rows).filter(isStored)
  const records = await readRecords(
    db.sql,
    model,
    getObject(model, objectId),
    attributes.map((attribute) => attributeIn(model, attribute)),
    rows.map(({ id }) => id),
  )
  const written: RowResult[] = []
  const changed: (MatchedRow & { record: StoredRecord })[] = []
  for (const { row, id } of rows) {
    const record = records.get(id)
    // The record was deleted after the row matched it; the next import creates it.
    if (!record)
      written.push({ row, outcome: 'skipped', reason: 'Its record was deleted while it was being imported.' })
    else if (wouldChange(record, row, multiselectWriteOf)) changed.push({ row, id, record })
    else written.push({ row, outcome: 'unchanged', record: { id, createdAt: record.createdAt } })
  }
  for (let start = 0; start < changed.length; start += MAX_CONCURRENT_UPDATES) {
    const next = changed.slice(start, start + MAX_CONCURRENT_UPDATES)
    written.push(...(await Promise.all(next.map(({ row, id, record }) => updateOne(writeOptions, row, id, record)))))
  }
  return written
}

/** Sorted by number, so that the statement is the same for every batch. */
function attributesOf(rows: readonly MatchedRow[]): Attribute[] {
  const attributes = rows.flatMap(({ row }) =>
    [...row.assignments, ...row.fillIfEmpty].map(({ attribute }) => attribute),
  )
  return [...new Set(attributes)].toSorted((a, b) => a.number - b.number)
}

async function updateOne(
  { importContext, objectId, multiselectWriteOf, isDryRun }: WriteOptions,
  row: ConvertedRow,
  id: string,
  record: StoredRecord,
): Promise<RowResult> {
  try {
    if (!isDryRun) await updateImportedRecord(importContext, objectId, id, row, multiselectWriteOf)
    return { row, outcome: 'updated', record: { id, createdAt: record.createdAt } }
  } catch (error) {
    return skipRefusedRow(error, row)
  }
}
