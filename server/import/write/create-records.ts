/** Creates the records of rows that are about none: all at once, those that change other records one by one. */

import { getObject } from '../../data-model/find'
import type { Attribute } from '../../data-model/model'
import { Reserved } from '../../storage/rows-text'
import type { ConvertedRow } from '../convert/convert-row'
import { identify } from '../match/identify'
import { findMatches } from '../match/match-rows'
import { writeKnown } from './update-records'
import {
  createRecord,
  isAlone,
  prepareRecords,
  refusalOf,
  requiredAttributes,
  type WriteRecords,
} from './write-records'
import { skippedFor, type WriteRows, type Writing, type WrittenRow } from './written-row'

export async function prepareNew(writing: Writing, rows: readonly ConvertedRow[]): Promise<WriteRows> {
  const { session, objectId, isDryRun } = writing
  const { model } = session.context()
  const required = requiredAttributes(model, getObject(model, objectId))
  const skipped: WrittenRow[] = []
  const together: ConvertedRow[] = []
  const alone: ConvertedRow[] = []
  for (const row of rows) {
    const reason = missingReason(row, required)
    if (reason !== undefined) skipped.push({ row, outcome: 'skipped', reason })
    else (isAlone(model, row) ? alone : together).push(row)
  }
  if (isDryRun) return async () => [...skipped, ...together.map(asCreated), ...alone.map(asCreated)]
  const create = await prepareTogether(writing, together)
  return async () => [
    ...skipped,
    ...(await writeTogether(writing, together, create)),
    ...(await writeAlone(writing, alone)),
  ]
}

const asCreated = (row: ConvertedRow): WrittenRow => ({ row, outcome: 'created' })

function missingReason({ assignments }: ConvertedRow, required: readonly Attribute[]): string | undefined {
  if (assignments.length === 0) return 'There is no value in it that could be imported.'
  const lacked = required.filter(({ id }) => !assignments.some(({ attribute }) => attribute.id === id))
  if (lacked.length === 0) return undefined
  return `It has no value for ${lacked.map(({ api_slug }) => `"${api_slug}"`).join(', ')}, which every record must have.`
}

/** Undefined when there are none, or when they cannot be written together. */
async function prepareTogether(
  { session, objectId }: Writing,
  rows: readonly ConvertedRow[],
): Promise<WriteRecords | undefined> {
  if (rows.length === 0) return undefined
  try {
    return await prepareRecords(session, objectId, rows)
  } catch (error) {
    if (error instanceof Reserved) return undefined
    throw error
  }
}

/** One by one when that cannot be, to find out which of them is the reason. */
async function writeTogether(
  writing: Writing,
  rows: readonly ConvertedRow[],
  create: WriteRecords | undefined,
): Promise<WrittenRow[]> {
  if (create === undefined) return writeAlone(writing, rows)
  try {
    await create()
    return rows.map(asCreated)
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    return writeAlone(writing, rows)
  }
}

async function writeAlone(writing: Writing, rows: readonly ConvertedRow[]): Promise<WrittenRow[]> {
  const written: WrittenRow[] = []
  for (const row of rows) written.push(await writeOne(writing, row))
  return written
}

/** A row that could not be written together with others: somebody else may have made its record meanwhile. */
async function writeOne(writing: Writing, row: ConvertedRow): Promise<WrittenRow> {
  const [[id] = []] = await findMatches(writing, [identify(writing.identification, row)])
  if (id !== undefined) {
    const [written] = await writeKnown(writing, [{ row, id }])
    if (written) return written
  }
  try {
    await createRecord(writing.session, writing.objectId, row)
    return asCreated(row)
  } catch (error) {
    return skippedFor(error, row)
  }
}
