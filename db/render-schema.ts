/** Renders the control tables as TypeScript types and as SQL. */

import type { ControlColumn, ControlTable } from './describe-schema'

/** The JavaScript type in which the driver returns each type, as `connect.ts` sets it up. All others arrive as text. */
const TYPES: Record<string, string> = {
  smallint: 'number',
  integer: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
}

export function renderTypes(tables: readonly ControlTable[]): string {
  const used = tables.flatMap((table) => table.columns.map(typeOf)).join(' ')
  const imports = ['Generated', 'GeneratedAlways'].filter((name) => used.includes(`${name}<`))
  return [
    '/** Generated from the migrations by `bun db:types`. Timestamps and json are text, as the driver gives them. */',
    '',
    `import type { ${imports.join(', ')} } from 'kysely'`,
    '',
    'export interface DB {',
    ...tables.map(({ name }) => `  'relata.${name}': ${interfaceName(name)}`),
    '}',
    ...tables.flatMap((table) => ['', ...tableType(table)]),
    '',
  ].join('\n')
}

const tableType = ({ name, columns }: ControlTable): string[] => [
  `export interface ${interfaceName(name)} {`,
  ...columns.map((column) => `  ${column.name}: ${typeOf(column)}`),
  '}',
]

const interfaceName = (table: string): string =>
  `${table.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}Table`

function typeOf({ type, not_null, default_sql, identity }: ControlColumn): string {
  const isArray = type.endsWith('[]')
  const value = isArray ? 'string[]' : (TYPES[type] ?? 'string')
  const nullable = not_null ? value : `${value} | null`
  if (identity === 'always') return `GeneratedAlways<${nullable}>`
  return identity !== null || default_sql !== null ? `Generated<${nullable}>` : nullable
}

export function renderSql(tables: readonly ControlTable[]): string {
  const head = '-- Generated from the migrations by `bun db:types`: all control tables on one page.\n'
  return [head, ...tables.map(tableSql)].join('\n')
}

function tableSql({ name, columns, constraints, indexes }: ControlTable): string {
  const lines = [...columns.map(columnSql), ...constraints.map(lowerKeywords)]
  const table = `create table relata.${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n`
  return [table, ...indexes.map((index) => `${lowerKeywords(index)};\n`)].join('')
}

function columnSql({ name, type, not_null, default_sql, identity }: ControlColumn): string {
  const parts = [name, type.replace('timestamp with time zone', 'timestamptz').replace('integer', 'int')]
  if (not_null) parts.push('not null')
  if (identity !== null) parts.push(`generated ${identity} as identity`)
  else if (default_sql !== null) parts.push(`default ${default_sql}`)
  return parts.join(' ')
}

/** PostgreSQL prints keywords in capitals; the repository's SQL is lower case. Quoted text stays unchanged. */
const lowerKeywords = (sql: string): string =>
  sql.replace(/'[^']*'|\b[A-Z]{2,}\b/g, (word) => (word.startsWith("'") ? word : word.toLowerCase()))
