/** Completes the specification of an attribute or option with defaults. */

import type { OptionColor } from '#vocabulary/data-model'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { newId } from '#base/ids'
import { columnsOf, type ValueColumn } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import { entityTableName } from '#engine/data-model/names'
import type { AttributeColumns, Index } from '#engine/data-model/tables'

/** The properties of an attribute that differ from the defaults. */
export type AttributeSpec = Pick<Attribute, 'title' | 'api_slug' | 'type'> & Partial<Attribute>

/** An attribute of a standard object or of a schema of activities. A reference names its object, and the slug of its other side if it has one. */
export type StandardAttribute = AttributeSpec & {
  readonly refers_to?: string
  readonly mirrored_by?: string
  readonly option_titles?: readonly string[]
  /** The colors of the options, in their order. */
  readonly option_colors?: readonly OptionColor[]
  /** The title of the option that has the celebration enabled. */
  readonly celebrated?: string
}

/** By default, an attribute is custom, optional and has one value. */
export const buildAttribute = (
  spec: AttributeSpec,
  place: Pick<Attribute, 'entity_type_id' | 'number' | 'created_at'>,
): Attribute => ({
  id: newId(),
  description: null,
  is_system_attribute: false,
  is_writable: true,
  is_required: false,
  is_unique: false,
  has_duplicates: false,
  is_multiselect: false,
  is_default_value_enabled: spec.default_value != null,
  is_archived: false,
  has_history: true,
  default_value: null,
  config: {},
  stored_in: 'columns',
  relationship_attribute_id: null,
  options: [],
  ...spec,
  ...place,
})

export const buildOption = (number: number, title: string): Attribute['options'][number] => ({
  id: newId(),
  number,
  title,
  is_archived: false,
  celebration_enabled: false,
  target_time_in_status: null,
  color: null,
})

/** An attribute that the service defines. `objectIds` are those of the standard objects, by their slugs. */
export function standardAttribute(
  standard: StandardAttribute,
  place: Pick<Attribute, 'entity_type_id' | 'number' | 'created_at'>,
  next: () => number,
  objectIds: ReadonlyMap<string | null, string>,
): Attribute {
  const { refers_to, mirrored_by: _, option_titles = [], option_colors = [], celebrated, ...rest } = standard
  const spec: AttributeSpec = { is_system_attribute: true, ...rest }
  const target = refers_to === undefined ? undefined : objectIds.get(refers_to)
  const config = target === undefined ? (spec.config ?? {}) : { record_reference: { allowed_object_ids: [target] } }
  const options = option_titles.map((title, index) => ({
    ...buildOption(next(), title),
    color: option_colors[index] ?? null,
    celebration_enabled: title === celebrated,
  }))
  return buildAttribute({ ...spec, config, options }, place)
}

/**
 * Returns whether the first side of a relationship stores the references. The side with one value does; if both or neither
 * have one value, the side that was created first does.
 */
export const isStoringSide = (
  first: Pick<Attribute, 'is_multiselect'>,
  second: Pick<Attribute, 'is_multiselect'>,
): boolean => !first.is_multiselect || second.is_multiselect

// The columns of an attribute in its entity type's table, and the indexes that are created with them.
// See docs/decisions/indexes.md.

/** The names that PostgreSQL prints for the short SQL types of the attribute types. */
const FULL_NAMES: Record<string, string> = { int: 'integer', timestamptz: 'timestamp with time zone' }

/** Returns no columns for an attribute without columns of its own. */
export function attributeColumns(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attribute: Attribute,
): AttributeColumns {
  if (!['columns', 'formula', 'worker'].includes(attribute.stored_in)) return { columns: [], indexes: [] }
  const columns = columnsOf(attribute)
  const { indexed = [] } = attributeType(attribute.type)
  return {
    columns: columns.map((column) => ({ name: nameOf(column), type: fullType(column.sqlType) })),
    indexes: columns.filter(({ member }) => indexed.includes(member)).map((column) => indexOn(entityType, column)),
  }
}

function indexOn(entityType: Pick<EntityType, 'kind' | 'number'>, column: ValueColumn): Index {
  const name = nameOf(column)
  // Each read of an index with pending entries reads all of these. See docs/decisions/indexes.md.
  const access = column.sqlType.endsWith('[]') ? `gin (${name}) WITH (fastupdate=off)` : `btree (${name})`
  return {
    name: `${entityTableName(entityType)}_${name}`,
    definition: `USING ${access} WHERE (${name} IS NOT NULL)`,
  }
}

function fullType(sqlType: string): string {
  const [element = '', array = ''] = sqlType.split(/(?=\[)/)
  return (FULL_NAMES[element] ?? element) + array
}

function nameOf({ name, member }: ValueColumn): string {
  if (name === null) throw new Error(`Member ${member} of an attribute with columns of its own has none.`)
  return name
}
