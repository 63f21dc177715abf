/** Queries to begin with, made from the tables of the workspace. */

import { nounInSentence } from '../../language'
import type { DataModel } from '../../state/data-model.svelte'
import type { SqlTable } from './tables'

export interface Example {
  readonly title: string
  readonly sql: string
}

/** At most three. None while the tables are loading, and for a member who may see no table. */
export function examplesOf(tables: readonly SqlTable[], model: DataModel | undefined): Example[] {
  const objects = tables.filter(({ schema }) => schema === 'objects')
  const list = tables.find(({ schema, columns }) => schema === 'lists' && hasColumn({ columns }, 'parent_record'))
  const [first, second = first] = objects
  return [
    ...(first ? [latest(first, nameOf(first, model))] : []),
    ...(second ? [byMonth(second, nameOf(second, model))] : []),
    ...(list ? [entries(list, nameOf(list, model))] : [columnsOfTables]),
  ].slice(0, first || list ? 3 : 0)
}

const hasColumn = ({ columns }: Pick<SqlTable, 'columns'>, column: string): boolean =>
  columns.some(({ name }) => name === column)

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`)

/** The name of an object or a list as people write it: `test drives`. */
function nameOf({ schema, name }: SqlTable, model: DataModel | undefined): string {
  const isNamed = ({ api_slug }: { readonly api_slug: string | null }) => api_slug === name
  const given = schema === 'lists' ? model?.lists.find(isNamed)?.name : model?.objects.find(isNamed)?.plural_noun
  return given ?? name.replaceAll('_', ' ')
}

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

function latest(table: SqlTable, title: string): Example {
  const name = hasColumn(table, 'name') ? 'name' : 'record_id'
  return {
    title: `Newest ${nounInSentence(title)}`,
    sql: `select ${name}, created_at\nfrom ${quoted(table.name)}\norder by created_at desc\nlimit 20`,
  }
}

const byMonth = ({ name }: SqlTable, title: string): Example => ({
  title: `${capitalised(title)} by month`,
  sql: `select\n  date_trunc('month', created_at) as month,\n  count(*) as records\nfrom ${quoted(name)}\ngroup by month\norder by month`,
})

const entries = ({ name }: SqlTable, title: string): Example => ({
  title: `Newest entries of ${title}`,
  sql: `select parent_record, created_at\nfrom lists.${quoted(name)}\norder by created_at desc\nlimit 20`,
})

const columnsOfTables: Example = {
  title: 'Tables and their columns',
  sql: 'select table_schema, table_name, count(*) as columns\nfrom information_schema.columns\ngroup by table_schema, table_name\norder by table_schema, table_name',
}
