/** The tables that the member may query, with their columns, as `information_schema` lists them. */

import { runSql } from '../../api/sql/sql'
import { QueryCache } from '../../state/reads/query-cache.svelte'
import type { RemoteData } from '../../state/reads/remote-data.svelte'

export interface SqlTable {
  readonly schema: string
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

const COLUMNS = `select table_schema, table_name, column_name, udt_name
from information_schema.columns
order by table_schema desc, table_name, ordinal_position`

const cache = new QueryCache<SqlTable[]>()

/** The tables for a screen that opens: cached ones are shown at once and loaded again. */
export const openTables = (): RemoteData<SqlTable[]> => cache.open('', readTables)

/** Tables of objects first. */
async function readTables(signal?: AbortSignal): Promise<SqlTable[]> {
  const { rows } = await runSql(COLUMNS, signal)
  const byTable = Map.groupBy(rows, ({ table_schema, table_name }) => `${table_schema}.${table_name}`)
  return [...byTable.values()].map((columns) => ({
    schema: String(columns[0]?.table_schema),
    name: String(columns[0]?.table_name),
    columns: columns.map(({ column_name, udt_name }) => ({
      name: String(column_name),
      type: typeOf(String(udt_name)),
    })),
  }))
}

/** `_text` is the name of the type of arrays of texts. */
const typeOf = (name: string): string => (name.startsWith('_') ? `${name.slice(1)}[]` : name)
