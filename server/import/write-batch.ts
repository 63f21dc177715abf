/**
 * Writes a batch of rows. Rows that share a unique value or a name go one after the other, so that the second finds what
 * the first became; all others go together.
 */

import { getObject } from '../data-model/find'
import type { Attribute } from '../data-model/model'
import { Reserved } from '../values/rows-text'
import type { ConvertedRow } from './convert-row'
import { type HeldRecord, readRecords } from './find-records'
import { type IdentifiedRow, identify } from './identify'
import { findMatches, type Matching, severalMatch } from './match-rows'
import { isStored } from './planned-model'
import { attributeIn } from './session'
import {
  createRecord,
  createRecords,
  differs,
  isAlone,
  requiredAttributes,
  type ModeOf,
  refusalOf,
  updateRecord,
} from './write-records'

export interface Writing extends Matching {
  readonly modeOf: ModeOf
  /** Nothing is written; what would be is told. */
  readonly isDryRun: boolean
}

export type Outcome = 'created' | 'updated' | 'unchanged' | 'skipped'

export interface WrittenRow {
  readonly row: ConvertedRow
  readonly outcome: Outcome
  /** Why it was skipped. */
  readonly reason?: string
  /** When the record it met was made, in microseconds. */
  readonly metCreatedAt?: number
}

/** How many records are updated at the same time. */
const UPDATES_AT_ONCE = 4

export async function writeBatch(writing: Writing, rows: readonly ConvertedRow[]): Promise<WrittenRow[]> {
  const written: WrittenRow[] = []
  let waiting = rows.map((row) => identify(writing.identification, row))
  while (waiting.length > 0) {
    const { now, later } = splitWave(waiting)
    written.push(...(await writeWave(writing, now)))
    waiting = later
  }
  return written
}

/** The rows that need nothing that one before them claims, and the others in their order. */
function splitWave(rows: readonly IdentifiedRow[]): { now: IdentifiedRow[]; later: IdentifiedRow[] } {
  const claimed = new Set<string>()
  const now: IdentifiedRow[] = []
  const later: IdentifiedRow[] = []
  for (const row of rows) {
    const isFree = !row.needs.some((claim) => claimed.has(claim))
    ;(isFree ? now : later).push(row)
    for (const claim of row.claims) claimed.add(claim)
  }
  return { now, later }
}

async function writeWave(writing: Writing, rows: readonly IdentifiedRow[]): Promise<WrittenRow[]> {
  const found = await findMatches(writing, rows)
  const written: WrittenRow[] = []
  const fresh: ConvertedRow[] = []
  const known: { row: ConvertedRow; id: string }[] = []
  for (const [index, identified] of rows.entries()) {
    const { row } = identified
    const [id, ...others] = found[index] ?? []
    if (others.length > 0)
      written.push({ row, outcome: 'skipped', reason: severalMatch(writing, identified, others.length + 1) })
    else if (id === undefined) fresh.push(row)
    else known.push({ row, id })
  }
  written.push(...(await writeNew(writing, fresh)), ...(await writeKnown(writing, known)))
  return written
}

/** All at once; one by one when that cannot be, to find out which of them is the reason. */
async function writeNew(writing: Writing, rows: readonly ConvertedRow[]): Promise<WrittenRow[]> {
  const { session, objectId, isDryRun } = writing
  const { model } = session.call()
  const required = requiredAttributes(model, getObject(model, objectId))
  const written: WrittenRow[] = []
  const complete = rows.filter((row) => {
    const reason = missingReason(row, required)
    if (reason !== undefined) written.push({ row, outcome: 'skipped', reason })
    return reason === undefined
  })
  if (isDryRun) return [...written, ...complete.map(asCreated)]
  const together: ConvertedRow[] = []
  const alone: ConvertedRow[] = []
  for (const row of complete) (isAlone(model, row) ? alone : together).push(row)
  if (together.length > 0) {
    try {
      await createRecords(session, objectId, together)
      for (const row of together) written.push(asCreated(row))
    } catch (error) {
      if (refusalOf(error) === undefined && !(error instanceof Reserved)) throw error
      alone.unshift(...together)
    }
  }
  for (const row of alone) written.push(await writeOne(writing, row))
  return written
}

const asCreated = (row: ConvertedRow): WrittenRow => ({ row, outcome: 'created' })

function missingReason({ assignments }: ConvertedRow, required: readonly Attribute[]): string | undefined {
  if (assignments.length === 0) return 'There is no value in it that could be imported.'
  const lacked = required.filter(({ id }) => !assignments.some(({ attribute }) => attribute.id === id))
  if (lacked.length === 0) return undefined
  return `It has no value for ${lacked.map(({ api_slug }) => `"${api_slug}"`).join(', ')}, which every record must have.`
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

async function writeKnown(writing: Writing, rows: readonly { row: ConvertedRow; id: string }[]): Promise<WrittenRow[]> {
  const { session, objectId, modeOf } = writing
  const { model, db } = session.call()
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
  const changed: { row: ConvertedRow; id: string; record: HeldRecord }[] = []
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
function attributesOf(rows: readonly { row: ConvertedRow }[]): Attribute[] {
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

function skippedFor(error: unknown, row: ConvertedRow): WrittenRow {
  const reason = refusalOf(error)
  if (reason === undefined) throw error
  return { row, outcome: 'skipped', reason }
}
