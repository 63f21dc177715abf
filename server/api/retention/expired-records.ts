/** Finds the records of an object that a retention rule deletes. See docs/decisions/retention.md. */

import type { Sql } from '#db/connect'
import { findAttachedSince } from '#engine/attachments/attachments'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { findUnchanged, readUnchanged, type UnchangedPage } from '#engine/storage/unchanged-records'
import type { Micros } from '#base/timing/clock'
import { DAY } from './rules'

interface ExpiredRead {
  readonly days: number
  readonly now: Micros
  readonly after: string | null
  readonly limit: number
}

/** Records without a change for this long were last changed before this time. */
export const cutOffOf = ({ days, now }: Pick<ExpiredRead, 'days' | 'now'>): Micros => now - days * DAY

export async function readExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { days, now, after, limit }: ExpiredRead,
): Promise<UnchangedPage> {
  const before = cutOffOf({ days, now })
  const { ids, last } = await readUnchanged(sql, model, object, { before, after, limit })
  return { ids: await withoutAttached(sql, model, ids, before), last }
}

/** Returns those of the records that are still to be deleted: a step reads many records, and deletes the last ones of them much later. */
export async function findStillExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { ids, before }: { readonly ids: readonly string[]; readonly before: Micros },
): Promise<string[]> {
  return withoutAttached(sql, model, await findUnchanged(sql, model, object, { ids, before }), before)
}

async function withoutAttached(sql: Sql, model: DataModel, ids: readonly string[], before: Micros): Promise<string[]> {
  const attached = await findAttachedSince(sql, model, ids, before)
  return ids.filter((id) => !attached.has(id))
}

const PAGE = 10_000
const MAX_PAGES = 50

export interface ExpiredCount {
  readonly records: number
  /** False when the object has more records than are read. */
  readonly is_complete: boolean
}

/** Counts the records that a rule would delete now, among the first half million of the object. */
export async function countExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { days, now }: Pick<ExpiredRead, 'days' | 'now'>,
): Promise<ExpiredCount> {
  let records = 0
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const { ids, last }: UnchangedPage = await readExpired(sql, model, object, { days, now, after, limit: PAGE })
    records += ids.length
    if (last === null) return { records, is_complete: true }
    after = last
  }
  return { records, is_complete: false }
}
