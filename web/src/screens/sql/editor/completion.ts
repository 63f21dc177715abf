/** The names that the editor completes: the tables of the workspace, their columns, and the members of structs. */

import type { Completion } from '@codemirror/autocomplete'
import { type SQLNamespace, sql } from '@codemirror/lang-sql'
import type { Extension } from '@codemirror/state'
import type { SqlTable } from '../tables'
import { dialect } from './dialect'
import { completeMembers } from './members'

/** SQL with the tables in completions. Tables of objects complete with and without their schema, the columns of `of` without its name. */
export const sqlLanguage = (tables: readonly SqlTable[], of?: SqlTable): Extension => [
  sql({
    dialect,
    schema: schemaOf(tables),
    defaultSchema: of?.schema ?? 'objects',
    ...(of && { defaultTable: of.name }),
  }),
  dialect.language.data.of({ autocomplete: completeMembers(tables) }),
]

function schemaOf(tables: readonly SqlTable[]): SQLNamespace {
  const schemas: Record<string, Record<string, SQLNamespace>> = {}
  for (const { schema, name, columns } of tables) {
    const children = Object.fromEntries(columns.map((column) => [column.name, columnNamespace(column)]))
    schemas[schema] = { ...schemas[schema], [name]: { self: completion(name, 'type'), children } }
  }
  return schemas
}

const columnNamespace = ({ name, type }: { readonly name: string; readonly type: string }): SQLNamespace => ({
  self: { ...completion(name, 'property'), detail: type },
  children: [],
})

const completion = (label: string, type: string): Completion => ({ label, type, apply: quoted(label) })

/** Slugs with signs such as a hyphen need quotes. */
const quoted = (name: string): string => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
