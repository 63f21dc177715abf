/** Tables that are made by hand of the JSON of the API: what the documentation of SQL promises, as real tables. */

import type { Sql } from '#db/connect'
import { type Column, type Kind, KIND_OF_TYPE, MEMBERS, type Scalar, type Table } from './kinds'
import type { AttributeJson, EntityJson, EntityTypeJson, ValueJson, World } from './world'

/** Creates the schemas `objects` and `lists` with a table for each entity type, and returns the tables. */
export async function makeHandTables(sql: Sql, world: World): Promise<readonly Table[]> {
  await sql`create schema objects`
  await sql`create schema lists`
  for (const [name, members] of Object.entries(MEMBERS)) {
    const list = Object.entries(members).map(([member, type]) => `${member} ${type}`)
    await sql.unsafe(`create type objects.${name} as (${list.join()})`)
  }
  const tables: Table[] = []
  for (const entityType of world.entityTypes) tables.push(await makeTable(sql, entityType, world.objectIds))
  return tables
}

async function makeTable(
  sql: Sql,
  { schema, slug, attributes, entities }: EntityTypeJson,
  objectIds: World['objectIds'],
) {
  const columns = columnsOf(schema, attributes, entities)
  const definitions = columns.map(({ name, kind, isArray }) => `"${name}" ${typeName(kind)}${isArray ? '[]' : ''}`)
  await sql.unsafe(`create table ${schema}."${slug}" (${definitions.join()})`)
  for (const entity of entities) {
    const values = columns.map((column) => valueOf(column, entity, objectIds))
    await sql.unsafe(`insert into ${schema}."${slug}" values (${values.join()})`)
  }
  await sql.unsafe(`analyze ${schema}."${slug}"`)
  return { schema, name: slug, columns }
}

/** An entity has a value or an empty array for each attribute. */
function columnsOf(schema: string, attributes: readonly AttributeJson[], [first]: readonly EntityJson[]): Column[] {
  const slugs = Object.keys(first?.values ?? {})
  const columns = attributes
    .filter(({ api_slug }) => slugs.includes(api_slug))
    .map(({ api_slug, type, is_multiselect }) => ({
      name: api_slug,
      kind: api_slug === 'record_id' || api_slug === 'entry_id' ? ('uuid' as const) : kindOf(type),
      isArray: is_multiselect,
    }))
  if (schema === 'objects') return columns
  const [id, ...rest] = columns
  return id === undefined ? [] : [id, { name: 'parent_record', kind: 'record_reference', isArray: false }, ...rest]
}

function kindOf(type: string): Kind {
  const kind = KIND_OF_TYPE[type]
  if (kind === undefined) throw new Error(`There is no kind of "${type}".`)
  return kind
}

const typeName = (kind: Kind): string => (kind in MEMBERS ? `objects.${kind}` : kind)

function valueOf(
  { name, kind, isArray }: Column,
  { values, parent }: EntityJson,
  objectIds: World['objectIds'],
): string {
  if (name === 'parent_record' && parent !== undefined) {
    return structOf('record_reference', [objectIds.get(parent.object), parent.recordId])
  }
  const literals = (values[name] ?? []).map((value) => literalOf(kind, value, objectIds))
  return isArray ? `array[${literals.join()}]::${typeName(kind)}[]` : (literals[0] ?? 'null')
}

function literalOf(kind: Kind, value: ValueJson, objectIds: World['objectIds']): string {
  switch (kind) {
    case 'record_reference':
      return structOf(kind, [objectIds.get(String(value.target_object)), value.target_record_id])
    case 'actor_reference':
      return structOf(kind, [value.referenced_actor_type, value.referenced_actor_id])
    case 'interaction': {
      const owner = value.owner_actor as { id: string | null } // the reference promises it
      return structOf(kind, [value.interaction_type, inMicroseconds(value.interacted_at), owner.id])
    }
    case 'location':
    case 'personal_name':
      return structOf(
        kind,
        Object.keys(MEMBERS[kind]).map((member) => value[member]),
      )
    default:
      return `${quoted(scalarIn(kind, value))}::${kind}`
  }
}

/** The name of the member that holds the value of a type. */
const HOLDS = ['value', 'currency_value', 'email_address', 'domain', 'phone_number']

function scalarIn(kind: Scalar, value: ValueJson): unknown {
  const choice = (value.option ?? value.status) as { title: string } | undefined // the reference promises the title
  if (choice !== undefined) return choice.title
  const member = HOLDS.find((name) => value[name] !== undefined)
  if (member === undefined) throw new Error(`No value in ${JSON.stringify(value)}.`)
  return kind === 'timestamptz' ? inMicroseconds(value[member]) : value[member]
}

/** SQL has six digits of a second, the API nine. */
const inMicroseconds = (text: unknown): string => String(text).replace(/\.(\d{6})\d{3}Z$/, '.$1Z')

const structOf = (kind: Kind, members: readonly unknown[]): string =>
  `row(${members.map(quoted).join()})::${typeName(kind)}`

const quoted = (value: unknown): string =>
  value === null || value === undefined ? 'null' : `E'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
