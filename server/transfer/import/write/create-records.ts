/** Creates the records of rows that match none: in one statement, or one by one when they change other records. */

import { getObject } from '#engine/data-model/find'
import { ReservedCharacterError } from '#engine/storage/rows-text'
import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { identify } from '#transfer/import/match/identify'
import { missingValueReason } from '#transfer/import/policies'
import { findMatches } from '#transfer/import/match/find-matches'
import { updateRecords } from './update-records'
import {
  apiErrorMessage,
  changesOtherRecords,
  createImportedRecord,
  prepareRecords,
  requiredAttributes,
  type RowResult,
  skipRefusedRow,
  type WriteOptions,
  type WriteRecords,
  type WriteRows,
} from './write-records'

export async function prepareCreation(writeOptions: WriteOptions, rows: readonly ConvertedRow[]): Promise<WriteRows> {
  const { importContext, objectId, isDryRun } = writeOptions
  const { model } = importContext.context()
  const required = requiredAttributes(model, getObject(model, objectId))
  const skipped: RowResult[] = []
  const together: ConvertedRow[] = []
  const alone: ConvertedRow[] = []
  for (const row of rows) {
    const reason = missingValueReason(row, required)
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
