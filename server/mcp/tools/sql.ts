import { Type } from 'typebox'
import { defineTool, READS } from './define'

interface SqlData {
  readonly columns: readonly { readonly name: string }[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly truncated: boolean
}

/** An assistant reads few rows; for more, it queries with LIMIT and OFFSET. */
const MAX_ROWS = 200

export const runSql = defineTool({
  name: 'run_sql',
  title: 'Query with SQL',
  description:
    'Runs one SELECT of PostgreSQL over records and entries, for sums, groups and joins. Tables: objects.<slug> and lists.<slug>; columns: the slugs of attributes. ' +
    'Examples of columns: p.name.full_name, p.company.entity_instance_id (the id of a company), p.stage (a title). Values go into `parameters` as $1, $2. ' +
    `At most ${MAX_ROWS} rows are shown, so use LIMIT.`,
  operations: ['querySql'],
  effect: READS,
  arguments: Type.Object({
    sql: Type.String(),
    parameters: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 100 })),
  }),
  async run(body, { call }) {
    const { data } = (await call('querySql', { body })) as { data: SqlData } // as in the schema of the operation
    const names = data.columns.map(({ name }) => name)
    const shown = data.rows.slice(0, MAX_ROWS)
    const isCut = data.truncated || shown.length < data.rows.length
    return {
      columns: names,
      rows: shown.map((row) => names.map((name) => row[name])),
      ...(isCut ? { has_more: true } : {}),
    }
  },
})
