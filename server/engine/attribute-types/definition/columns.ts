/** The columns of an attribute in its entity type's table. Their names contain its number, because slugs change. */

import type { Attribute, ClockForm, DataModel, FunctionCall } from '#engine/data-model/model'
import type { SqlType, Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { createLru } from '#base/caching/caching'

export interface ValueColumn {
  readonly member: string
  /** The column's name. Null if the entity has no such column; the member is then null, unless a function computes it (`memberSql`). */
  readonly name: string | null
  /** Its SQL type, an array type when the attribute is multiselect. */
  readonly sqlType: SqlType | `${SqlType}[]`
}

/** System attributes that read the entity's own columns: slug → member → column. */
const ENTITY_COLUMNS: Record<string, Record<string, string>> = {
  record_id: { value: 'id' },
  entry_id: { value: 'id' },
  created_at: { value: 'created_at' },
  created_by: { actor: 'created_by' },
  updated_at: { value: 'updated_at' },
  updated_by: { actor: 'updated_by' },
  parent_record: { target_object: 'parent_object', target_record_id: 'parent_record_id' },
}

/** The members of an attribute that decide its columns. */
type ColumnSource = Pick<Attribute, 'api_slug' | 'number' | 'type' | 'is_multiselect' | 'stored_in'>

const cache = new WeakMap<ColumnSource, readonly ValueColumn[]>()

/** The same attribute of a standard object has the same number, and so the same columns, in most workspaces. */
const sharedColumns = createLru<string, readonly ValueColumn[]>(5_000)

/** The columns of an attribute in declared order. Empty for the derived side of a relationship. */
export function columnsOf(attribute: ColumnSource): readonly ValueColumn[] {
  const cached = cache.get(attribute)
  if (cached) return cached
  const { api_slug, number, type, is_multiselect, stored_in } = attribute
  const key = `${type} ${number} ${is_multiselect} ${stored_in === 'entity' ? api_slug : stored_in}`
  let columns = sharedColumns.get(key)
  if (!columns) sharedColumns.set(key, (columns = nameColumns(attribute)))
  cache.set(attribute, columns)
  return columns
}

/**
 * The SQL of a member in the row `alias`: its column, or the expression or call of the function that computes it. Null for a member that is always null.
 * `clock` is the SQL of the present time for the function.
 */
export function memberSql(attribute: Attribute, member: string, alias: string, clock?: string): string | null {
  const { call, type } = attribute
  if (call?.member === member)
    return call.form
      ? `(${formSql(call.form, alias, clock)})::${attributeType(type).columns[member]}`
      : callSql(call, alias, clock)
  const name = columnsOf(attribute).find((column) => column.member === member)?.name ?? null
  return name === null ? null : `${alias}.${name}`
}

function callSql({ name, columns }: FunctionCall, alias: string, clock?: string): string {
  const args = columns.map((column) => `${alias}.${column}`)
  return `${name}(${(clock === undefined ? args : [...args, clock]).join(', ')})`
}

/** The expression that the function computes. It has immutable functions only, because Citus refuses others in `returning`. */
function formSql({ kind, column, isTime }: ClockForm, alias: string, clock = 'now()'): string {
  const day = isTime ? `(${alias}.${column} at time zone 'UTC')::date` : `${alias}.${column}`
  const today = `(${clock}::timestamptz at time zone 'UTC')::date`
  if (kind === 'days since') return `${today} - ${day}`
  if (kind === 'days until') return `${day} - ${today}`
  if (kind !== 'years since') return `${day} ${kind} ${today}`
  return `extract(year from age(${today}::timestamp, ${day}::timestamp))`
}

/** The name of the column of one member. Throws if the attribute has no such column. */
export function columnName(attribute: ColumnSource, member: string): string {
  const name = columnsOf(attribute).find((column) => column.member === member)?.name
  if (name == null) throw new Error(`Attribute ${attribute.api_slug} has no column for ${member}.`)
  return name
}

function nameColumns(attribute: ColumnSource): readonly ValueColumn[] {
  if (attribute.stored_in === 'partner') return []
  const members = Object.entries(attributeType(attribute.type).columns)
  if (attribute.stored_in === 'entity') {
    const names = ENTITY_COLUMNS[attribute.api_slug] ?? {}
    return members.map(([member, sqlType]) => ({ member, sqlType, name: names[member] ?? null }))
  }
  if (attribute.stored_in === 'function') return members.map(([member, sqlType]) => ({ member, sqlType, name: null }))
  return members.map(([member, sqlType]) => ({
    member,
    sqlType: attribute.is_multiselect ? (`${sqlType}[]` as const) : sqlType,
    name: `a_${attribute.number}_${member}`,
  }))
}

// Renders static default values: as output values, except that options and statuses are their id.
// See docs/reference/objects-and-attributes.md (Default values).

/** One value of a default value's template. */
export function outputTemplate(
  attribute: Attribute,
  model: DataModel,
  stored: Stored,
): Readonly<Record<string, unknown>> {
  const type = attributeType(attribute.type)
  const members = type.template?.(stored, attribute) ?? JSON.parse(`{${type.render(attribute, model)(stored)}}`)
  return { ...members, attribute_type: attribute.type }
}
