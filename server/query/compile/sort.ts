/**
 * From sorts to the order of a statement. Missing values come last in both directions.
 * See docs/reference/query.md (Sorts).
 */

import type { Property, SqlType } from '../../attribute-types/define'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { textSortKey, positionIn } from '../../indexes/expressions'
import { propertySql, propertyType } from './compile-comparison'
import type { Step } from '../resolve/condition'
import type { StatementBuilder } from './statement-builder'
import { labelSql } from './label'
import { firstValueAccessor, type ValueAccessor } from './value-accessor'
import { hasRankedOptions } from './ranked'
import { firstReferring, firstTarget, getPartner, possibleTargets } from './references'
import type { Sort } from '../resolve/resolve-sort'

/** One thing rows are ordered by. */
export interface OrderKey {
  readonly sql: string
  readonly type: SqlType
  readonly direction: 'asc' | 'desc'
  /** Columns that are never null are ordered without a word about it, so that an index serves both directions. */
  readonly nullable: boolean
}

export interface Order {
  /** The asked sorts, then creation and id, so that no two rows are equal. */
  readonly keys: readonly OrderKey[]
  /** What has to be joined to the entity for them; never more than one row each. */
  readonly joins: readonly string[]
  /** What rows must meet to be of it; absent when all are. */
  readonly condition?: string
}

/** What is joined to the entity, and whether entities without it are kept. */
interface Joining {
  readonly joins: string[]
  readonly how: 'left join' | 'join'
}

/** The entity is called `alias`. */
export function compileOrder(builder: StatementBuilder, sorts: readonly Sort[], alias: string): Order {
  const joining: Joining = { joins: [], how: 'left join' }
  const keys = sorts.flatMap((sort) => compileSort(builder, sort, alias, joining))
  return { keys: [...keys, ...lastKeys(alias)], joins: joining.joins }
}

/** The same order, of only those entities that have what the first sort asks for: they are the first in either direction. */
export function compileOrderOfPresent(
  builder: StatementBuilder,
  [first, ...others]: readonly Sort[],
  alias: string,
): Order {
  if (!first) throw new Error('There is nothing to sort by.')
  const present: Joining = { joins: [], how: 'join' }
  const [key, ...decisive] = compileSort(builder, first, alias, present)
  if (!key) throw new Error(`Nothing is sorted by attribute ${first.attribute.id}.`)
  const rest = compileOrder(builder, others, alias)
  return {
    keys: [{ ...key, nullable: false }, ...decisive, ...rest.keys],
    joins: [...present.joins, ...rest.joins],
    condition: `${key.sql} is not null`,
  }
}

const lastKeys = (alias: string): OrderKey[] => [
  { sql: `${alias}.created_at`, type: 'timestamptz', direction: 'asc', nullable: false },
  { sql: `${alias}.id`, type: 'uuid', direction: 'asc', nullable: false },
]

function compileSort(builder: StatementBuilder, sort: Sort, alias: string, joining: Joining): OrderKey[] {
  const { steps, attribute, property, direction } = sort
  const entity = steps.reduce((from, step) => joinTarget(builder, step, from, joining), alias)
  if (property === null) {
    return [
      { sql: textSortKey(labelOfTarget(builder, attribute, entity, joining)), type: 'text', direction, nullable: true },
    ]
  }
  const accessor = placeOfFirst(builder, attribute, entity, joining)
  const nullable = steps.length > 0 || attribute.stored_in !== 'entity' || hasRankedOptions(property)
  return keysOf(builder.model, attribute, property, accessor).map((key) => ({ ...key, direction, nullable }))
}

/** Joins the record that the first value of a reference names; gives what it is called. */
function joinTarget(
  builder: StatementBuilder,
  { attribute, target }: Step,
  from: string,
  { joins, how }: Joining,
): string {
  const record = builder.alias('t')
  if (attribute.stored_in === 'partner') joins.push(firstReferring(getPartner(builder.model, attribute), from, record))
  else joins.push(`${how} ${target.table} ${record} on ${record}.id = ${firstTarget(attribute, from)}`)
  return record
}

/** The label of the record that the first value refers to, whichever object it is of. */
function labelOfTarget(builder: StatementBuilder, attribute: Attribute, from: string, joining: Joining): string {
  const labels = possibleTargets(builder.model, attribute).map((target) =>
    labelSql(target, joinTarget(builder, { attribute, target }, from, joining)),
  )
  const [first = 'null::text', ...others] = labels
  return others.length === 0 ? first : `coalesce(${labels.join(', ')})`
}

/** Where the members of an attribute's first value are. */
function placeOfFirst(builder: StatementBuilder, attribute: Attribute, from: string, joining: Joining): ValueAccessor {
  if (attribute.stored_in !== 'partner') return firstValueAccessor(attribute, from)
  const { entityType } = getPartner(builder.model, attribute)
  const record = joinTarget(builder, { attribute, target: asObject(entityType) }, from, joining)
  return {
    column: (member) => (member === 'target_record_id' ? `${record}.id` : `${entityType.number}`),
    typeOf: (member) => (member === 'target_record_id' ? 'uuid' : 'int'),
    members: ['target_record_id'],
    since: () => `${record}.created_at`,
  }
}

function asObject(entityType: EntityType) {
  if (entityType.kind === 'object') return entityType
  throw new Error(`Relationships are between objects, and ${entityType.id} is none.`)
}

type Key = Pick<OrderKey, 'sql' | 'type'>

function keysOf(model: DataModel, attribute: Attribute, property: Property, accessor: ValueAccessor): Key[] {
  const sql = propertySql(property, accessor)
  if (sql === null) return []
  if (hasRankedOptions(property)) {
    return [{ sql: positionIn(property.ranked(attribute, model), sql), type: 'int' }]
  }
  const type = propertyType(property, accessor)
  const key = { sql: type === 'text' ? textSortKey(sql) : sql, type }
  const remainder = property.source === 'column' && property.remainder ? accessor.column(property.remainder) : null
  return remainder === null ? [key] : [key, { sql: `coalesce(${remainder}, 0)`, type: 'smallint' }]
}
