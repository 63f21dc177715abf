/**
 * Finds and replaces texts in all columns of all tables that can hold a text of a workspace. The catalog of PostgreSQL names the columns,
 * so that a new table is included. See docs/decisions/erasure.md.
 */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'

/** The columns of a table that can hold a text. */
export interface TextTable {
  /** Without its schema. */
  readonly name: string
  /** Qualified for SQL. */
  readonly table: string
  /** Whether rows of other workspaces are in the table. */
  readonly isControl: boolean
  readonly columns: readonly TextColumn[]
  /** Whether a row has a version, which an entity tag names. */
  readonly hasVersion: boolean
}

interface TextColumn {
  readonly name: string
  readonly type: TextType
}

const TEXT_TYPES = ['text', 'json', 'jsonb', 'text[]'] as const
type TextType = (typeof TEXT_TYPES)[number]

/** The form of texts that are searched. */
export interface TextPattern {
  /** A regular expression of PostgreSQL, which is matched without regard to case. */
  readonly expression: string
  /** Patterns of `like`, of which each matching text in lower case matches one. They are faster than the expression. */
  readonly likes: readonly string[]
}

/** The tables in the order of their names. Those without a text, and control tables of the whole installation, are left out. */
export async function listTextTables(
  sql: Sql | Transaction,
  { schema }: Pick<DataModel, 'schema'>,
): Promise<TextTable[]> {
  const schemas = ['relata', schema.replaceAll('"', '')]
  const rows = await sql.unsafe<{ schema: string; name: string; column: string; type: string }[]>(
    `select n.nspname as schema, c.relname as name, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1::text[]) and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by n.nspname, c.relname, a.attnum`,
    [renderArray(schemas)],
  )
  const tables = [...Map.groupBy(rows, ({ schema: of, name }) => `${of}."${name}"`)]
  return tables.flatMap(([table, all]) => {
    const isControl = all[0]?.schema === 'relata'
    if (isControl && !all.some(({ column }) => column === 'workspace_id')) return []
    const columns = all.flatMap(({ column, type }) => (isTextType(type) ? [{ name: column, type }] : []))
    const hasVersion = all.some(({ column, type }) => column === 'version' && type === 'integer')
    return columns.length === 0 ? [] : [{ name: all[0]?.name ?? '', table, isControl, columns, hasVersion }]
  })
}

const isTextType = (type: string): type is TextType => (TEXT_TYPES as readonly string[]).includes(type)

/** The condition on a row `t`: $1 is the expression, $2 the patterns of `like`, and of a control table $3 the workspace. */
function matches({ columns, isControl }: TextTable): string {
  const isIn = columns.map(
    ({ name }) => `(lower(t."${name}"::text) like any($2::text[]) and t."${name}"::text ~* $1::text)`,
  )
  return `(${isIn.join(' or ')})${isControl ? ' and t.workspace_id = $3' : ''}`
}

const parametersOf = ({ isControl }: TextTable, { expression, likes }: TextPattern, workspaceId: string): string[] => [
  expression,
  renderArray(likes),
  ...(isControl ? [workspaceId] : []),
]

/** Counts the rows with a text. */
export async function countTextRows(
  sql: Sql | Transaction,
  table: TextTable,
  pattern: TextPattern,
  workspaceId: string,
): Promise<number> {
  const statement = `select count(*)::int as count from ${table.table} t where ${matches(table)}`
  const [row] = await sql.unsafe<{ count: number }[]>(statement, parametersOf(table, pattern, workspaceId))
  return row?.count ?? 0
}

/** The values of a column of the rows with a text. */
export async function readTextRows(
  sql: Sql | Transaction,
  table: TextTable,
  pattern: TextPattern,
  { workspaceId, column }: { readonly workspaceId: string; readonly column: string },
): Promise<string[]> {
  const statement = `select t."${column}"::text as value from ${table.table} t where ${matches(table)}`
  const rows = await sql.unsafe<{ value: string }[]>(statement, parametersOf(table, pattern, workspaceId))
  return rows.map(({ value }) => value)
}

/** Deletes the rows with a text. Returns their number. */
export async function deleteTextRows(
  tx: Sql | Transaction,
  table: TextTable,
  pattern: TextPattern,
  workspaceId: string,
): Promise<number> {
  const statement = `delete from ${table.table} t where ${matches(table)}`
  const { count } = await tx.unsafe(statement, parametersOf(table, pattern, workspaceId))
  return count
}

/** Replaces the text in all columns. `replacement` needs no escapes in JSON. Returns the number of changed rows. */
export async function replaceTexts(
  tx: Sql | Transaction,
  table: TextTable,
  pattern: TextPattern,
  { workspaceId, replacement }: { readonly workspaceId: string; readonly replacement: string },
): Promise<number> {
  const parameters = [...parametersOf(table, pattern, workspaceId), replacement]
  const to = `$${parameters.length}::text`
  const sets = table.columns.map(({ name, type }) => `"${name}" = ${replaced(`t."${name}"`, type, to)}`)
  if (table.hasVersion) sets.push('version = t.version + 1')
  const statement = `update ${table.table} t set ${sets.join(', ')} where ${matches(table)}`
  const { count } = await tx.unsafe(statement, parameters)
  return count
}

/** A column without the text stays as it is, byte for byte. */
function replaced(column: string, type: TextType, to: string): string {
  const inText = (text: string) => `regexp_replace(${text}, $1::text, ${to}, 'gi')`
  const forms: Record<TextType, string> = {
    text: inText(column),
    json: `${inText(`${column}::text`)}::json`,
    jsonb: `${inText(`${column}::text`)}::jsonb`,
    'text[]': `array(select ${inText('e.v')} from unnest(${column}) with ordinality as e(v, n) order by e.n)`,
  }
  return `case when ${column}::text ~* $1::text then ${forms[type]} else ${column} end`
}
