/**
 * The index that serves comparing or sorting by a property, named and written so that conditions and orders in `query/`
 * can use it. Decision 0030.
 */

import { columnsOf } from '../attribute-types/columns'
import type { Property } from '../attribute-types/define'
import { attributeType } from '../attribute-types/registry'
import { isVirtual } from '../data-model/find'
import type { Attribute, Owner } from '../data-model/model'
import { holderTable } from '../data-model/names'
import { folded, joined } from './expressions'
import type { IndexKind, IndexWish } from './wish'

type PropertyKind = Exclude<IndexKind, 'search'>

/** What an index is made over: SQL of a column, or of a part of its values, and how that part of the name goes. */
interface Subject {
  readonly name: string
  readonly sql: string
  readonly isText: boolean
  /** A column that decides among equals. */
  readonly remainder: string | null
  /** Whether a holder may be without it; those come last. */
  readonly isNullable: boolean
}

type Described = Map<Property, Map<PropertyKind, IndexWish | undefined>>

const known = new WeakMap<Attribute, Described>()

/** Undefined where no such index is of use, or the table has one from the start. */
export function describeIndex(
  owner: Pick<Owner, 'kind' | 'number'>,
  attribute: Attribute,
  property: Property,
  kind: PropertyKind,
): IndexWish | undefined {
  // Every query asks; an attribute lives as long as its version of the data model.
  const described: Described = known.get(attribute) ?? new Map()
  const ofProperty = described.get(property) ?? new Map<PropertyKind, IndexWish | undefined>()
  if (!ofProperty.has(kind)) ofProperty.set(kind, describeAnew(owner, attribute, property, kind))
  known.set(attribute, described.set(property, ofProperty))
  return ofProperty.get(kind)
}

function describeAnew(
  owner: Pick<Owner, 'kind' | 'number'>,
  attribute: Attribute,
  property: Property,
  kind: PropertyKind,
): IndexWish | undefined {
  if (property.source === 'active_from' || isIndexedAtOnce(attribute, property.column)) return undefined
  const subject = describeSubject(attribute, property, kind)
  if (!subject) return undefined
  return {
    name: `${holderTable(owner)}_${subject.name}_${kind}`,
    kind,
    definition: DEFINITIONS[kind](subject),
    attributeId: isVirtual(attribute) ? null : attribute.id,
  }
}

const INDEXED_HOLDER_COLUMNS = ['created_at', 'id', 'parent_object', 'parent_record_id']

/** Creation, id, parent record, statuses and references: what finds them by one member needs no index on another. */
function isIndexedAtOnce(attribute: Attribute, member: string): boolean {
  if (attribute.stored_in !== 'holder') return attributeType(attribute.type).indexed !== undefined
  return INDEXED_HOLDER_COLUMNS.includes(nameOf(attribute, member) ?? '')
}

function describeSubject(
  attribute: Attribute,
  property: Exclude<Property, { source: 'active_from' }>,
  kind: PropertyKind,
): Subject | undefined {
  const column = columnsOf(attribute).find(({ member }) => member === property.column)
  if (!column || column.name === null) return undefined
  const isNullable = attribute.stored_in !== 'holder'
  const whole = { name: column.name, isText: column.sqlType.startsWith('text'), remainder: null, isNullable }
  if (kind === 'elements') return { ...whole, sql: column.name }
  if (attribute.is_multiselect && kind === 'trigram') return { ...whole, sql: joined(column.name) }
  const value = attribute.is_multiselect ? `(${column.name})[1]` : column.name
  const { expression, remainder } = property.source === 'column' ? property : {}
  if (expression) return { ...whole, name: partName(attribute, property), sql: expression(value) }
  return { ...whole, sql: value, remainder: remainder === undefined ? null : nameOf(attribute, remainder) }
}

const nameOf = (attribute: Attribute, member: string): string | null =>
  columnsOf(attribute).find((column) => column.member === member)?.name ?? null

/** A part of a column's values is called by its property; of two names for the same one, by the first. */
function partName({ type, number }: Attribute, property: Property): string {
  const [name] = Object.entries(attributeType(type).properties).find(([, each]) => each === property) ?? []
  if (name === undefined) throw new Error(`Attributes of type ${type} have no such property.`)
  return `a_${number}_${name}`
}

/** Ordered ones end like every order, so that equal values come out of them in their order too. */
const ordered =
  (direction: '' | ' desc') =>
  ({ sql, isText, remainder, isNullable }: Subject): string => {
    const nulls = direction === ' desc' && isNullable ? ' nulls last' : ''
    const keys = [isText ? folded(sql) : sql, ...(remainder === null ? [] : [`coalesce(${remainder}, 0)`])]
    return `using btree (${[...keys.map((key) => `(${key})${direction}${nulls}`), 'created_at', 'id'].join(', ')})`
  }

const DEFINITIONS: Readonly<Record<PropertyKind, (subject: Subject) => string>> = {
  ordered: ordered(''),
  descending: ordered(' desc'),
  // Texts may be longer than what fits an ordered index; their hashes do not.
  exact: ({ sql }) => `using hash ((${sql}))`,
  elements: ({ sql }) => `using gin (${sql})`,
  trigram: ({ sql }) => `using gin ((${sql}) gin_trgm_ops)`,
}
