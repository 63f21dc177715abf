/** Updates the records that rows are about, only those that would change. */

import { getObject } from '../../data-model/find'
import type { Attribute } from '../../data-model/model'
import type { ConvertedRow } from '../convert/convert-row'
import { type HeldRecord, readRecords } from '../match/find-records'
import { isStored } from '../mapping/planned-model'
import { attributeIn } from '../session'
import { differs, updateRecord } from './write-records'
import { skippedFor, type Writing, type WrittenRow } from './written-row'

/** A row and the record it is about. */
interface KnownRow {
  readonly row: ConvertedRow
  readonly id: string
}

/** How many records are updated at the same time. */
const UPDATES_AT_ONCE = 4

export async function writeKnown(writing: Writing, rows: readonly KnownRow[]): Promise<WrittenRow[]> {
  const { session, objectId, modeOf } = writing
  const { model, db } = session.context()
  const attributes = attributesOf(rows).map((attribute) =>
    isStored(attribute) ? attributeIn(model, attribute) : attribute,
  )
  const held = await readRecords(
    db.sql,
    model,
    getObject(model, objectId),
    attributes,
    rows.map(({ id }) => id),
  )
  const written: WrittenRow[] = []
  const changed: (KnownRow & { record: HeldRecord })[] = []
  for (const { row, id } of rows) {
    const record = held.get(id)
    // Deleted since it was found: the next import creates it.
    if (!record)
      written.push({ row, outcome: 'skipped', reason: 'Its record was deleted while it was being imported.' })
    else if (differs(record, row, modeOf)) changed.push({ row, id, record })
    else written.push({ row, outcome: 'unchanged', metCreatedAt: record.createdAt })
  }
  for (let start = 0; start < changed.length; start += UPDATES_AT_ONCE) {
    const some = changed.slice(start, start + UPDATES_AT_ONCE)
    written.push(...(await Promise.all(some.map(({ row, id, record }) => updateOne(writing, row, id, record)))))
  }
  return written
}

/** In the order of their numbers, so that the same statement serves again. */
function attributesOf(rows: readonly KnownRow[]): Attribute[] {
  const attributes = rows.flatMap(({ row }) => [...row.assignments, ...row.asides].map(({ attribute }) => attribute))
  return [...new Set(attributes)].toSorted((a, b) => a.number - b.number)
}

async function updateOne(
  { session, objectId, modeOf, isDryRun }: Writing,
  row: ConvertedRow,
  id: string,
  record: HeldRecord,
): Promise<WrittenRow> {
  try {
    if (!isDryRun) await updateRecord(session, objectId, id, row, modeOf)
    return { row, outcome: 'updated', metCreatedAt: record.createdAt }
  } catch (error) {
    return skippedFor(error, row)
  }
}
