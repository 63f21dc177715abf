import { Type } from 'typebox'
import { defineTool, READS } from './define'

/** An assistant reads few rows; for more, it queries with LIMIT and OFFSET. */
const MAX_ROWS = 200
const MAX_BYTES = 500_000

export const runSqlTool = defineTool({
  name: 'run_sql',
  title: 'Query with SQL',
  description:
    'Runs one SELECT of PostgreSQL over records and entries, for sums, groups and joins. Tables: objects.<slug> and lists.<slug>; columns: the slugs of attributes. ' +
    'Examples of columns: p.name.full_name, p.company.entity_instance_id (the id of a company), p.stage (a title). Values go into `parameters` as $1, $2. ' +
    `At most ${MAX_ROWS} rows of ${MAX_BYTES / 1000} kB together are shown, so use LIMIT.`,
  operations: ['querySql'],
  effect: READS,
  arguments: Type.Object({
    sql: Type.String(),
    parameters: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 100 })),
  }),
  async run(body, { lines }) {
    const found = await lines('querySql', { body, maxLines: MAX_ROWS, maxBytes: MAX_BYTES })
    const rows = found.lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) // a row is an object
    const names = Object.keys(rows[0] ?? {})
    return {
      columns: names,
      rows: rows.map((row) => names.map((name) => row[name])),
      ...(found.hasMore ? { has_more: true } : {}),
    }
  },
})
