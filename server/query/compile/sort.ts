/** From sorts to the order of a statement. Missing values come last in both directions. Spec: query 5. */

import type { Property, SqlType } from '../../attribute-types/define'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { folded, rankIn } from '../../indexes/expressions'
import { propertySql, propertyType } from './compile-comparison'
import type { Step } from '../resolve/condition'
import type { Draft } from './statement-builder'
import { labelSql } from './label'
import { firstPlace, type Place } from './value-accessor'
import { isRanked } from './ranked'
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
  /** What has to be joined to the holder for them; never more than one row each. */
  readonly joins: readonly string[]
  /** What rows must meet to be of it; absent when all are. */
  readonly condition?: string
}

/** What is joined to the holder, and whether holders without it are kept. */
interface Joining {
  readonly joins: string[]
  readonly how: 'left join' | 'join'
}

/** The holder is called `alias`. */
export function compileOrder(draft: Draft, sorts: readonly Sort[], alias: string): Order {
  const joining: Joining = { joins: [], how: 'left join' }
  const keys = sorts.flatMap((sort) => compileSort(draft, sort, alias, joining))
  return { keys: [...keys, ...lastKeys(alias)], joins: joining.joins }
}

/** The same order, of only those holders that have what the first sort asks for: they are the first in either direction. */
export function compileOrderOfPresent(draft: Draft, [first, ...others]: readonly Sort[], alias: string): Order {
  if (!first) throw new Error('There is nothing to sort by.')
  const present: Joining = { joins: [], how: 'join' }
  const [key, ...decisive] = compileSort(draft, first, alias, present)
  if (!key) throw new Error(`Nothing is sorted by attribute ${first.attribute.id}.`)
  const rest = compileOrder(draft, others, alias)
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

function compileSort(draft: Draft, sort: Sort, alias: string, joining: Joining): OrderKey[] {
  const { steps, attribute, property, direction } = sort
  const holder = steps.reduce((from, step) => joinTarget(draft, step, from, joining), alias)
  if (property === null) {
    return [{ sql: folded(labelOfTarget(draft, attribute, holder, joining)), type: 'text', direction, nullable: true }]
  }
  const place = placeOfFirst(draft, attribute, holder, joining)
  const nullable = steps.length > 0 || attribute.stored_in !== 'holder' || isRanked(property)
  return keysOf(draft.model, attribute, property, place).map((key) => ({ ...key, direction, nullable }))
}

/** Joins the record that the first value of a reference names; gives what it is called. */
function joinTarget(draft: Draft, { attribute, target }: Step, from: string, { joins, how }: Joining): string {
  const record = draft.alias('t')
  if (attribute.stored_in === 'partner') joins.push(firstReferring(getPartner(draft.model, attribute), from, record))
  else joins.push(`${how} ${target.table} ${record} on ${record}.id = ${firstTarget(attribute, from)}`)
  return record
}

/** The label of the record that the first value refers to, whichever object it is of. */
function labelOfTarget(draft: Draft, attribute: Attribute, from: string, joining: Joining): string {
  const labels = possibleTargets(draft.model, attribute).map((target) =>
    labelSql(target, joinTarget(draft, { attribute, target }, from, joining)),
  )
  const [first = 'null::text', ...others] = labels
  return others.length === 0 ? first : `coalesce(${labels.join(', ')})`
}

/** Where the members of an attribute's first value are. */
function placeOfFirst(draft: Draft, attribute: Attribute, from: string, joining: Joining): Place {
  if (attribute.stored_in !== 'partner') return firstPlace(attribute, from)
  const { owner } = getPartner(draft.model, attribute)
  const record = joinTarget(draft, { attribute, target: asObject(owner) }, from, joining)
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

function keysOf(model: DataModel, attribute: Attribute, property: Property, place: Place): Key[] {
  const sql = propertySql(property, place)
  if (sql === null) return []
  if (isRanked(property)) {
    return [{ sql: rankIn(property.ranked(attribute, model), sql), type: 'int' }]
  }
  const type = propertyType(property, place)
  const key = { sql: type === 'text' ? folded(sql) : sql, type }
  const remainder = property.source === 'column' && property.remainder ? place.column(property.remainder) : null
  return remainder === null ? [key] : [key, { sql: `coalesce(${remainder}, 0)`, type: 'smallint' }]
}
