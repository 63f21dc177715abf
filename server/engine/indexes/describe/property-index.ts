/**
 * Describes the index that serves comparisons or sorts by a property. Its expression is the same as in the conditions and
 * orders that `query/` compiles, so PostgreSQL can use it for them. See docs/decisions/indexes.md.
 */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { isVirtual } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { textHash, textSortKey, joinedTexts } from '#engine/indexes/expressions'
import type { IndexKind, IndexRequest } from '#engine/indexes/index-request'

type PropertyKind = Exclude<IndexKind, 'search' | 'composite' | 'partial' | 'covering'>

export type OrderKind = 'ordered' | 'descending'

/** The indexed expression: a column, or a part of its values. `name` is its part of the index name. */
export interface IndexSubject {
  readonly name: string
  readonly sql: string
  readonly isText: boolean
  /** A column that orders equal values. */
  readonly remainder: string | null
  /** Whether entities may lack the value. Those come last. */
  readonly isNullable: boolean
}

type Described = Map<Property, Map<PropertyKind, IndexRequest | undefined>>

const cache = new WeakMap<Attribute, Described>()

/** Returns undefined when such an index does not help, or every table has it from its creation. */
export function describePropertyIndex(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attribute: Attribute,
  property: Property,
  kind: PropertyKind,
): IndexRequest | undefined {
  // Every query asks for this. An attribute object belongs to one version of the data model.
  const described: Described = cache.get(attribute) ?? new Map()
  const ofProperty = described.get(property) ?? new Map<PropertyKind, IndexRequest | undefined>()
  if (!ofProperty.has(kind)) ofProperty.set(kind, describeUncached(entityType, attribute, property, kind))
  cache.set(attribute, described.set(property, ofProperty))
  return ofProperty.get(kind)
}

function describeUncached(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attribute: Attribute,
  property: Property,
  kind: PropertyKind,
): IndexRequest | undefined {
  if (property.source === 'active_from' || isIndexedFromStart(attribute, property.column)) return undefined
  const subject = describeSubject(attribute, property, kind)
  if (!subject || (kind === 'exact' && !subject.isText)) return undefined
  return {
    name: `${entityTableName(entityType)}_${subject.name}_${ENDINGS[kind] ?? kind}`,
    kind,
    definition: DEFINITIONS[kind](subject),
    attributeId: isVirtual(attribute) ? null : attribute.id,
  }
}

const INDEXED_ENTITY_COLUMNS = ['created_at', 'id', 'parent_object', 'parent_record_id']

/** True for creation time, id, parent record, statuses and references, whose tables are created with an index on them. */
function isIndexedFromStart(attribute: Attribute, member: string): boolean {
  if (attribute.stored_in !== 'entity') return attributeType(attribute.type).indexed !== undefined
  return INDEXED_ENTITY_COLUMNS.includes(nameOf(attribute, member) ?? '')
}

/** Returns undefined for a property without a column. */
export function describeSubject(
  attribute: Attribute,
  property: Exclude<Property, { source: 'active_from' }>,
  kind: PropertyKind,
): IndexSubject | undefined {
  const column = columnsOf(attribute).find(({ member }) => member === property.column)
  if (!column || column.name === null) return undefined
  const isNullable = attribute.stored_in !== 'entity'
  const whole = { name: column.name, isText: column.sqlType.startsWith('text'), remainder: null, isNullable }
  if (kind === 'elements') return { ...whole, sql: column.name }
  if (attribute.is_multiselect && kind === 'trigram') return { ...whole, sql: joinedTexts(column.name) }
  const value = attribute.is_multiselect ? `(${column.name})[1]` : column.name
  const { expression, remainder } = property.source === 'column' ? property : {}
  if (expression) return { ...whole, name: partName(attribute, property), sql: expression(value) }
  return { ...whole, sql: value, remainder: remainder === undefined ? null : nameOf(attribute, remainder) }
}

const nameOf = (attribute: Attribute, member: string): string | null =>
  columnsOf(attribute).find((column) => column.member === member)?.name ?? null

/** Names a part of a column's values by its property. A property with two names gives the first. */
function partName({ type, number }: Attribute, property: Property): string {
  const [name] = Object.entries(attributeType(type).properties).find(([, each]) => each === property) ?? []
  if (name === undefined) throw new Error(`Attributes of type ${type} have no such property.`)
  return `a_${number}_${name}`
}

/** The keys of the order of a property, without the keys that decide between equal values. */
export function orderKeys({ sql, isText, remainder, isNullable }: IndexSubject, kind: OrderKind): string[] {
  const direction = kind === 'descending' ? ` desc${isNullable ? ' nulls last' : ''}` : ''
  const keys = [isText ? textSortKey(sql) : sql, ...(remainder === null ? [] : [`coalesce(${remainder}, 0)`])]
  return keys.map((key) => `(${key})${direction}`)
}

/** The keys end with creation time and id, as every order does, so that PostgreSQL needs no extra sort of equal values. */
const ordered = (kind: OrderKind) => (subject: IndexSubject) =>
  `using btree (${[...orderKeys(subject, kind), 'created_at', 'id'].join(', ')})`

/** The ends of names that are not the kind. */
const ENDINGS: Partial<Record<PropertyKind, string>> = { exact: 'hashed' }

const DEFINITIONS: Readonly<Record<PropertyKind, (subject: IndexSubject) => string>> = {
  ordered: ordered('ordered'),
  descending: ordered('descending'),
  // A text may be too long for a B-tree; its hash never is.
  exact: ({ sql }) => `using btree ((${textHash(sql)}))`,
  elements: ({ sql }) => `using gin (${sql})`,
  trigram: ({ sql }) => `using gin ((${sql}) gin_trgm_ops)`,
}
