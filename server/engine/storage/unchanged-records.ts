/** Finds the records whose values, entries and interactions are older than a time. See docs/decisions/retention.md. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { columnName, columnsOf } from '#engine/attribute-types/definition/columns'
import { findAttribute } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { listsOf } from './read-entities'

interface UnchangedRead {
  readonly before: Micros
  /** The last record of the page before; null for the first page. */
  readonly after: string | null
  /** How many records are read, changed or not. */
  readonly limit: number
}

export interface UnchangedPage {
  readonly ids: readonly string[]
  /** The last record that was read; null at the end of the object. */
  readonly last: string | null
}

/** Reads a page of the records of an object in the order of their ids, so that one statement is short whatever the number of records. */
export async function readUnchanged(
  sql: Sql | Transaction,
  model: DataModel,
  object: ObjectType,
  { before, after, limit }: UnchangedRead,
): Promise<UnchangedPage> {
  const statement = statementFor(model, object, '$1::uuid is null or id > $1 order by id limit $3')
  const rows = await sql.unsafe<UnchangedRow[]>(
    statement,
    [after, timestampFromMicros(before), limit],
    prepareOptions(statement),
  )
  return { ids: unchangedIds(rows), last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}

/** Returns those of the records that exist and are unchanged, in the order of their ids. */
export async function findUnchanged(
  sql: Sql | Transaction,
  model: DataModel,
  object: ObjectType,
  { ids, before }: { readonly ids: readonly string[]; readonly before: Micros },
): Promise<string[]> {
  const statement = statementFor(model, object, 'id = any($1::uuid[])')
  const parameters = [renderArray(ids), timestampFromMicros(before)]
  return unchangedIds(await sql.unsafe<UnchangedRow[]>(statement, parameters, prepareOptions(statement)))
}

interface UnchangedRow {
  readonly id: string
  readonly is_unchanged: boolean
}

const unchangedIds = (rows: readonly UnchangedRow[]): string[] =>
  rows.filter(({ is_unchanged }) => is_unchanged).map(({ id }) => id)

/** `which` selects the records that are read; $2 is the time. */
function statementFor(model: DataModel, object: ObjectType, which: string): string {
  const interactions = interactionColumns(object)
  const conditions = [
    'p.updated_at < $2',
    ...interactions.map((column) => `(p.${column} is null or p.${column} < $2)`),
    ...listsOf(model, object).map(
      ({ table }) => `not exists (select from ${table} e where e.parent_record_id = p.id and e.updated_at >= $2)`,
    ),
  ]
  return `
    with p as materialized (
      select ${['id', 'updated_at', ...interactions].join(', ')} from ${object.table} where ${which})
    select p.id, ${conditions.join(' and ')} as is_unchanged from p order by p.id`
}

/** The columns with the times of the last and the next email or meeting. Only people and companies have interactions. */
function interactionColumns(object: ObjectType): string[] {
  if (object.standard_slug === null) return []
  return ['last_interaction', 'next_interaction'].flatMap((slug) => {
    const attribute = findAttribute(object, slug)
    const hasTime = attribute !== undefined && columnsOf(attribute).some(({ member }) => member === 'interacted_at')
    return hasTime ? [columnName(attribute, 'interacted_at')] : []
  })
}
