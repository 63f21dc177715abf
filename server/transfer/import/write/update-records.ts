/** Updates the records that rows match, and leaves those alone that would not change. */

import { getObject } from '#engine/data-model/find'
import type { Attribute } from '#engine/data-model/model'
import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { type StoredRecord, readRecords } from '#engine/storage/statements/read-many-records'
import { isStored } from '#transfer/import/mapping/planned-model'
import { attributeIn } from '#transfer/import/import-context'
import { type RowResult, skipRefusedRow, updateImportedRecord, wouldChange, type WriteOptions } from './write-records'

/** A row and the id of the record it matches. */
interface MatchedRow {
  readonly row: ConvertedRow
  readonly id: string
}

const MAX_CONCURRENT_UPDATES = 4

export async function updateRecords(writeOptions: WriteOptions, rows: readonly MatchedRow[]): Promise<RowResult[]> {
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
