/** Creates the records of rows that are about none: all at once, those that change other records one by one. */

import { getObject } from '../../data-model/find'
import type { Attribute } from '../../data-model/model'
import { Reserved } from '../../storage/rows-text'
import type { ConvertedRow } from '../convert/compile-row'
import { identify } from '../match/identify'
import { findMatches } from '../match/find-matches'
import { updateRecords } from './update-records'
import {
  createRecord,
  changesOtherRecords,
  prepareRecords,
  apiErrorMessage,
  requiredAttributes,
  type WriteRecords,
} from './write-records'
import { skipRefusedRow, type WriteRows, type WriteOptions, type RowResult } from './row-result'

export async function prepareCreation(writeOptions: WriteOptions, rows: readonly ConvertedRow[]): Promise<WriteRows> {
  const { importContext, objectId, isDryRun } = writeOptions
  const { model } = importContext.context()
  const required = requiredAttributes(model, getObject(model, objectId))
  const skipped: RowResult[] = []
  const together: ConvertedRow[] = []
  const alone: ConvertedRow[] = []
  for (const row of rows) {
    const reason = missingReason(row, required)
    if (reason !== undefined) skipped.push({ row, outcome: 'skipped', reason })
    else (changesOtherRecords(model, row) ? alone : together).push(row)
  }
  if (isDryRun) return async () => [...skipped, ...together.map(asCreated), ...alone.map(asCreated)]
  const create = await prepareTogether(writeOptions, together)
  return async () => [
    ...skipped,
    ...(await writeTogether(writeOptions, together, create)),
    ...(await writeAlone(writeOptions, alone)),
  ]
}

const asCreated = (row: ConvertedRow): RowResult => ({ row, outcome: 'created' })

function missingReason({ assignments }: ConvertedRow, required: readonly Attribute[]): string | undefined {
  if (assignments.length === 0) return 'There is no value in it that could be imported.'
  const lacked = required.filter(({ id }) => !assignments.some(({ attribute }) => attribute.id === id))
  if (lacked.length === 0) return undefined
  return `It has no value for ${lacked.map(({ api_slug }) => `"${api_slug}"`).join(', ')}, which every record must have.`
}

/** Undefined when there are none, or when they cannot be written together. */
async function prepareTogether(
  { importContext, objectId }: WriteOptions,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords | undefined> {
  if (rows.length === 0) return undefined
  try {
    return await prepareRecords(importContext, objectId, rows)
  } catch (error) {
    if (error instanceof Reserved) return undefined
    throw error
  }
}

/** One by one when that cannot be, to find out which of them is the reason. */
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

/** A row that could not be written together with others: somebody else may have made its record meanwhile. */
async function writeOne(writeOptions: WriteOptions, row: ConvertedRow): Promise<RowResult> {
  const [[id] = []] = await findMatches(writeOptions, [identify(writeOptions.identification, row)])
  if (id !== undefined) {
    const [written] = await updateRecords(writeOptions, [{ row, id }])
    if (written) return written
  }
  try {
    await createRecord(writeOptions.importContext, writeOptions.objectId, row)
    return asCreated(row)
  } catch (error) {
    return skipRefusedRow(error, row)
  }
}
