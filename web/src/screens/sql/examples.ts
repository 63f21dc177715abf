/** Queries to begin with, made from the tables of the workspace. */

import type { SqlTable } from './tables'

export interface Example {
  readonly title: string
  readonly sql: string
}

/** At most three. None while the tables are loading, and for a member who may see no table. */
export function examplesOf(tables: readonly SqlTable[]): Example[] {
  const objects = tables.filter(({ schema }) => schema === 'objects')
  const list = tables.find(({ schema, columns }) => schema === 'lists' && hasColumn({ columns }, 'parent_record'))
  const [first, second = first] = objects
  return [
    ...(first ? [latest(first)] : []),
    ...(second ? [byMonth(second)] : []),
    ...(list ? [entries(list)] : [columnsOfTables]),
  ].slice(0, first || list ? 3 : 0)
}

const hasColumn = ({ columns }: Pick<SqlTable, 'columns'>, column: string): boolean =>
  columns.some(({ name }) => name === column)

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`)

/** The name of a table as people write it: `test drives`. */
const wordsOf = (name: string): string => name.replaceAll('_', ' ')

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

function latest(table: SqlTable): Example {
  const name = hasColumn(table, 'name') ? 'name' : 'record_id'
  return {
    title: `Newest ${wordsOf(table.name)}`,
    sql: `select ${name}, created_at\nfrom ${quoted(table.name)}\norder by created_at desc\nlimit 20`,
  }
}

const byMonth = ({ name }: SqlTable): Example => ({
  title: `${capitalised(wordsOf(name))} by month`,
  sql: `select\n  date_trunc('month', created_at) as month,\n  count(*) as records\nfrom ${quoted(name)}\ngroup by month\norder by month`,
})

const entries = ({ name }: SqlTable): Example => ({
  title: `Newest entries of ${wordsOf(name)}`,
  sql: `select parent_record, created_at\nfrom lists.${quoted(name)}\norder by created_at desc\nlimit 20`,
})

const columnsOfTables: Example = {
  title: 'Tables and their columns',
  sql: 'select table_schema, table_name, count(*) as columns\nfrom information_schema.columns\ngroup by table_schema, table_name\norder by table_schema, table_name',
}
