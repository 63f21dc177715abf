/** Two records side by side with the record that their merge makes, attribute by attribute. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Value, Values } from '../../../../api/records/entities'

export interface Side {
  readonly value: Value
  /** Whether the merged record has the value. */
  readonly isKept: boolean
}

export interface ComparedAttribute {
  readonly attribute: Attribute
  readonly primary: readonly Side[]
  readonly secondary: readonly Side[]
  readonly merged: readonly Value[]
  readonly isSame: boolean
}

export interface Compared {
  readonly primary: Values
  readonly secondary: Values
  readonly merged: Values
}

/** Members that say when and by whom a value was written, not what it is. */
const CONTEXT = ['active_from', 'active_until', 'created_by_actor', 'attribute_type']

const keyOf = (value: Value): string =>
  JSON.stringify(Object.entries(value).filter(([member]) => !CONTEXT.includes(member)))

/** The attributes that either record has a value of. Every record has its own id, which is not compared. */
export function compareRecords(
  attributes: readonly Attribute[],
  { primary, secondary, merged }: Compared,
): ComparedAttribute[] {
  return attributes
    .filter(({ is_archived, api_slug }) => !is_archived && api_slug !== 'record_id')
    .map((attribute) => {
      const of = (values: Values) => values[attribute.api_slug] ?? []
      const kept = new Set(of(merged).map(keyOf))
      const sideOf = (values: Values) => of(values).map((value) => ({ value, isKept: kept.has(keyOf(value)) }))
      const isSame = JSON.stringify(of(primary).map(keyOf)) === JSON.stringify(of(secondary).map(keyOf))
      return { attribute, primary: sideOf(primary), secondary: sideOf(secondary), merged: of(merged), isSame }
    })
    .filter((row) => row.primary.length > 0 || row.secondary.length > 0 || row.merged.length > 0)
}
