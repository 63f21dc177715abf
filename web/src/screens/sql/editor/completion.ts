/** The names that the editor completes: the tables of the workspace, their columns, and the members of composite columns. */

import type { Completion } from '@codemirror/autocomplete'
import { type SQLNamespace, sql } from '@codemirror/lang-sql'
import type { Extension } from '@codemirror/state'
import type { SqlTable } from '../tables'
import { dialect } from './dialect'

/** The members of composite types. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  record_reference: ['entity_definition_id', 'entity_instance_id'],
  personal_name: ['first_name', 'last_name', 'full_name'],
  actor_reference: ['actor_type', 'actor_id'],
  interaction: ['interaction_type', 'interacted_at', 'owner_actor_id'],
  location: [
    'line_1',
    'line_2',
    'line_3',
    'line_4',
    'locality',
    'region',
    'postcode',
    'country_code',
    'latitude',
    'longitude',
  ],
}

/** SQL with the tables in completions. Tables of objects complete with and without their schema. */
export const sqlLanguage = (tables: readonly SqlTable[]): Extension =>
  sql({ dialect, schema: schemaOf(tables), defaultSchema: 'objects' })

function schemaOf(tables: readonly SqlTable[]): SQLNamespace {
  const schemas: Record<string, Record<string, SQLNamespace>> = {}
  for (const { schema, name, columns } of tables) {
    const children = Object.fromEntries(columns.map((column) => [column.name, columnNamespace(column)]))
    schemas[schema] = { ...schemas[schema], [name]: { self: completion(name, 'type'), children } }
  }
  return schemas
}

function columnNamespace({ name, type }: { readonly name: string; readonly type: string }): SQLNamespace {
  const members = MEMBERS[type.replace(/^.*\./, '')] ?? []
  const children = Object.fromEntries(
    members.map((member) => [member, { self: completion(member, 'property'), children: [] }]),
  )
  return { self: { ...completion(name, 'property'), detail: type }, children }
}

const completion = (label: string, type: string): Completion => ({ label, type, apply: quoted(label) })

/** Slugs with signs such as a hyphen need quotes. */
const quoted = (name: string): string => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
