/** From sorts to the order of a statement. Missing values come last in both directions. Spec: query 5. */

import type { Property, SqlType } from '../attribute-types/define'
import type { Attribute, DataModel, Owner } from '../data-model/model'
import { folded } from '../indexes/expressions'
import { propertySql, propertyType } from './compile-comparison'
import type { Step } from './condition'
import { type Draft, integerSql } from './draft'
import { labelSql } from './label'
import { firstPlace, type Place } from './place'
import { firstReferring, firstTarget, getPartner, possibleTargets } from './references'
import type { Sort } from './resolve-sort'

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
  /** What has to be joined to the holder for them; never more than one row each. */
  readonly joins: readonly string[]
}

/** The holder is called `alias`. */
export function compileOrder(draft: Draft, sorts: readonly Sort[], alias: string): Order {
  const joins: string[] = []
  const keys = sorts.flatMap((sort) => compileSort(draft, sort, alias, joins))
  return { keys: [...keys, ...lastKeys(alias)], joins }
}

const lastKeys = (alias: string): OrderKey[] => [
  { sql: `${alias}.created_at`, type: 'timestamptz', direction: 'asc', nullable: false },
  { sql: `${alias}.id`, type: 'uuid', direction: 'asc', nullable: false },
]

function compileSort(draft: Draft, sort: Sort, alias: string, joins: string[]): OrderKey[] {
  const { steps, attribute, property, direction } = sort
  const holder = steps.reduce((from, step) => joinTarget(draft, step, from, joins), alias)
  if (property === null) {
    return [{ sql: folded(labelOfTarget(draft, attribute, holder, joins)), type: 'text', direction, nullable: true }]
  }
  const place = placeOfFirst(draft, attribute, holder, joins)
  const nullable = steps.length > 0 || attribute.stored_in !== 'holder' || isRanked(property)
  return keysOf(draft.model, attribute, property, place).map((key) => ({ ...key, direction, nullable }))
}

/** Joins the record that the first value of a reference names; gives what it is called. */
function joinTarget(draft: Draft, { attribute, target }: Step, from: string, joins: string[]): string {
  const record = draft.alias('t')
  if (attribute.stored_in === 'partner') joins.push(firstReferring(getPartner(draft.model, attribute), from, record))
  else joins.push(`left join ${target.table} ${record} on ${record}.id = ${firstTarget(attribute, from)}`)
  return record
}

/** The label of the record that the first value refers to, whichever object it is of. */
function labelOfTarget(draft: Draft, attribute: Attribute, from: string, joins: string[]): string {
  const labels = possibleTargets(draft.model, attribute).map((target) =>
    labelSql(target, joinTarget(draft, { attribute, target }, from, joins)),
  )
  const [first = 'null::text', ...others] = labels
  return others.length === 0 ? first : `coalesce(${labels.join(', ')})`
}

/** Where the members of an attribute's first value are. */
function placeOfFirst(draft: Draft, attribute: Attribute, from: string, joins: string[]): Place {
  if (attribute.stored_in !== 'partner') return firstPlace(attribute, from)
  const { owner } = getPartner(draft.model, attribute)
  const record = joinTarget(draft, { attribute, target: asObject(owner) }, from, joins)
  return {
    column: (member) => (member === 'target_record_id' ? `${record}.id` : `${owner.number}`),
    typeOf: (member) => (member === 'target_record_id' ? 'uuid' : 'int'),
    members: ['target_record_id'],
    since: () => `${record}.created_at`,
  }
}

function asObject(owner: Owner) {
  if (owner.kind === 'object') return owner
  throw new Error(`Relationships are between objects, and ${owner.id} is none.`)
}

type Key = Pick<OrderKey, 'sql' | 'type'>

type Ranked = Property & { readonly ranked: (attribute: Attribute, model: DataModel) => readonly number[] }

const isRanked = (property: Property): property is Ranked =>
  property.source !== 'active_from' && property.ranked !== undefined

function keysOf(model: DataModel, attribute: Attribute, property: Property, place: Place): Key[] {
  const sql = propertySql(property, place)
  if (sql === null) return []
  if (isRanked(property)) {
    const numbers = property.ranked(attribute, model).map(integerSql)
    return [{ sql: `array_position(array[${numbers.join(', ')}]::int[], ${sql})`, type: 'int' }]
  }
  const type = propertyType(property, place)
  const key = { sql: type === 'text' ? folded(sql) : sql, type }
  const remainder = property.source === 'column' && property.remainder ? place.column(property.remainder) : null
  return remainder === null ? [key] : [key, { sql: `coalesce(${remainder}, 0)`, type: 'smallint' }]
}
