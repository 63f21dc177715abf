/** Finds the table that a query names. A name without a schema is that of an object. */

import { findClosest } from '#base/text/find-closest'
import type { SourceText } from '#engine/sql/compile/parse/source-text'
import type { SqlTable } from '#engine/sql/compile/tables/sql-table'

interface TableName {
  readonly schema: string | null
  readonly name: string
  readonly offset: number | null
  /** The names of the common table expressions in scope. */
  readonly ctes: ReadonlySet<string>
}

interface Tables {
  readonly source: SourceText
  readonly tables: readonly SqlTable[]
}

/** Throws PostgreSQL's message for a table that does not exist or that the caller may not read. */
export function findTable({ source, tables }: Tables, { schema, name, offset, ctes }: TableName): SqlTable {
  const found = tables.find((table) => table.name === name && table.schema === (schema ?? 'objects'))
  if (found) return found
  const wanted = schema === null ? name : `${schema}.${name}`
  const closest = tables.find((table) => table.name === name) ?? closestOf(tables, schema, name)
  const word = typeof closest === 'string' || closest === undefined ? closest : shownName(closest)
  const nearest = word ?? findClosest(name, ctes)
  throw source.refusal(
    `relation "${wanted}" does not exist`,
    offset,
    nearest === undefined ? null : `Perhaps you meant "${nearest}".`,
  )
}

function closestOf(tables: readonly SqlTable[], schema: string | null, name: string): string | undefined {
  const inSchema = tables.filter((table) => schema === null || table.schema === schema)
  const slug = findClosest(
    name,
    inSchema.map((table) => table.name),
  )
  const table = inSchema.find((each) => each.name === slug)
  return table && shownName(table)
}

const shownName = ({ schema, name }: SqlTable): string => (schema === 'objects' ? name : `${schema}.${name}`)
