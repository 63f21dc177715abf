/**
 * Describes the indexes for queries with equal values and a sort: the equal columns, then the keys of the order, so that a page
 * is read in its order from the rows that match. See docs/decisions/indexes.md.
 */

import type { Property, Scalar } from '#engine/attribute-types/define'
import { createLru } from '#base/caching/caching'
import { isVirtual } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { sha256 } from '#base/text/sha256'
import { integerSql, textHash } from '#engine/indexes/expressions'
import type { IndexRequest } from '#engine/indexes/index-request'
import { describePropertyIndex, describeSubject, type IndexSubject } from './property-index'

type ColumnBased = Exclude<Property, { source: 'active_from' }>

/** A comparison for equality with one operand. */
export interface Equality {
  readonly attribute: Attribute
  readonly property: ColumnBased
  readonly operand: Scalar
  /** Whether the operand is an option or a boolean. Other operands are never part of an index. */
  readonly isConstant: boolean
  /** Whether rows without a value match too. */
  readonly includesAbsent: boolean
}

/** The keys of an order, without creation time and id at its end. */
export interface OrderKeys {
  readonly attributes: readonly Attribute[]
  readonly keys: readonly string[]
  /** Whether creation time, which follows the keys, descends. Records of an import have one creation time, so ids decide. */
  readonly isNewestFirst: boolean
}

export interface CompositeIndex {
  /** The attributes that it compares and sorts. */
  readonly attributes: ReadonlySet<Attribute>
  readonly index: IndexRequest
  /** The index for the constants among the operands. Undefined when no operand is a constant. */
  readonly partial: IndexRequest | undefined
  /** The comparisons with texts, which the index has as hashes. A query must compare the hashes too. */
  readonly hashed: readonly Equality[]
}

interface EqualColumn {
  readonly equality: Equality
  readonly subject: IndexSubject
}

/** Returns undefined when an index over a single column serves the same queries. */
export function describeCompositeIndex(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  equalities: readonly Equality[],
  order: OrderKeys,
): CompositeIndex | undefined {
  const columns = equalities.flatMap((equality): EqualColumn[] => {
    const subject = describeSubject(equality.attribute, equality.property, 'exact')
    return subject ? [{ equality, subject }] : []
  })
  if (columns.length < equalities.length || columns.length === 0) return undefined
  const [fixed, keyed] = partition(columns, ({ equality }) => equality.includesAbsent)
  const definition = definitionOf(keyed, fixed, order)
  if (isSingle(entityType, columns, definitionOf(keyed, fixed, { ...order, isNewestFirst: false }))) return undefined
  const attributes = new Set([...columns.map(({ equality }) => equality.attribute), ...order.attributes])
  const parts = partsOf(columns, attributes)
  const index = toRequest(entityType, 'composite', definition, { ...parts, partialOf: null })
  const [constants, variable] = partition(keyed, ({ equality }) => equality.isConstant)
  const partial =
    constants.length === 0
      ? undefined
      : toRequest(entityType, 'partial', definitionOf(variable, [...fixed, ...constants], order), {
          ...parts,
          partialOf: index.name,
        })
  const hashed = variable.filter(({ subject }) => subject.isText).map(({ equality }) => equality)
  return { attributes, index, partial, hashed }
}

/** The index on one column that has the same keys. Tables have none from the start that ends in creation time and id. */
const isSingle = (
  entityType: Pick<EntityType, 'kind' | 'number'>,
  [only, ...others]: readonly EqualColumn[],
  definition: string,
): boolean =>
  only !== undefined &&
  others.length === 0 &&
  describePropertyIndex(entityType, only.equality.attribute, only.equality.property, 'ordered')?.definition ===
    definition

function definitionOf(keyed: readonly EqualColumn[], fixed: readonly EqualColumn[], order: OrderKeys): string {
  const keys = [
    ...keyed.map(({ subject }) => `(${subject.isText ? textHash(subject.sql) : subject.sql})`),
    ...order.keys,
    `created_at${order.isNewestFirst ? ' desc' : ''}`,
    'id',
  ]
  const predicate = fixed.map(predicateOf).join(' and ')
  return `using btree (${keys.join(', ')})${predicate === '' ? '' : ` where ${predicate}`}`
}

/** The same condition as in the statements of queries, so that PostgreSQL finds that they imply it. */
function predicateOf({ equality: { operand, includesAbsent }, subject }: EqualColumn): string {
  const equal = `${subject.sql} = ${typeof operand === 'boolean' ? String(operand) : integerSql(Number(operand))}`
  return includesAbsent ? `(${equal} or ${subject.sql} is null)` : equal
}

function partsOf(columns: readonly EqualColumn[], attributes: ReadonlySet<Attribute>) {
  const attributeIds = [...attributes].filter((attribute) => !isVirtual(attribute)).map(({ id }) => id)
  const whole = columns.filter(({ subject, equality }) => subject.sql === subject.name && !equality.includesAbsent)
  return { attributeIds, equalColumns: whole.map(({ subject }) => subject.name) }
}

const hashes = createLru<string, string>(1000)

/** Every query over a large table needs the hashes of its indexes. */
function hashOf(definition: string): string {
  const hash = hashes.get(definition) ?? sha256(definition).slice(0, 16)
  hashes.set(definition, hash)
  return hash
}

/** The name of an index over several columns. It has a hash of the definition, because the columns would be too long for a name. */
export const hashedName = (
  entityType: Pick<EntityType, 'kind' | 'number'>,
  definition: string,
  kind: 'composite' | 'partial' | 'covering',
): string => `${entityTableName(entityType)}_${hashOf(definition)}_${kind}`

const toRequest = (
  entityType: Pick<EntityType, 'kind' | 'number'>,
  kind: 'composite' | 'partial',
  definition: string,
  composite: NonNullable<IndexRequest['composite']>,
): IndexRequest => ({
  name: hashedName(entityType, definition, kind),
  kind,
  definition,
  attributeId: null,
  composite,
})

/** The name of the table of an index over several columns; undefined for the name of another index. */
export const tableOfComposite = (name: string): string | undefined =>
  /^([ol]_\d+)_[0-9a-f]{16}_(?:composite|partial)$/.exec(name)?.[1]

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))]
}
