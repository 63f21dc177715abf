/** What a board shows: its columns, filter, order, and the attributes of its cards. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import type { Entity, Filter, SortInput, Value } from '../../../api/records/entities'
import { isReferencedSlug } from '../../../api/records/referenced-values'
import { optionKindOf } from '../../../values/options.svelte'
import { optionIn } from '../../../values/parts/option'
import { inputOfValues, optimisticValues, valueTypeOf } from '../../../values/registry'

export interface BoardQuery {
  readonly entityType: EntityTypePath
  /** The status or select attribute whose options are the columns. */
  readonly attribute: Attribute
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
  /** The slugs of the attributes that are read. */
  readonly fields: readonly string[]
  /** The attribute whose sum each column shows. */
  readonly sum: Attribute | undefined
}

const isOwnSingle = ({ is_archived, is_multiselect, api_slug }: Attribute): boolean =>
  !is_archived && !is_multiselect && !isReferencedSlug(api_slug)

/** Whether an attribute can be the columns of a board: one with options and one value. */
const hasColumns = (attribute: Attribute): boolean => isOwnSingle(attribute) && optionKindOf(attribute) !== undefined

/** The attributes that can be the columns of a board, status attributes first. */
export const boardAttributes = (attributes: readonly Attribute[]): readonly Attribute[] => {
  const all = attributes.filter(hasColumns)
  return [
    ...all.filter((one) => optionKindOf(one) === 'statuses'),
    ...all.filter((one) => optionKindOf(one) !== 'statuses'),
  ]
}

/** Whether the values of an attribute can be added. */
export const hasSum = (attribute: Attribute): boolean =>
  isOwnSingle(attribute) && valueTypeOf(attribute).isNumeric === true

/** The id of the option that an entity has; null for none. */
export function optionIdOf({ values }: Entity, { api_slug }: Attribute): string | null {
  const value = values[api_slug]?.[0]
  return value === undefined ? null : optionIn(value.status ?? value.option).id
}

/** The number that an entity adds to the sum of its column. */
export const amountOf = ({ values }: Entity, sum: Attribute | undefined): number =>
  sum === undefined ? 0 : Number(inputOfValues(sum, values[sum.api_slug] ?? [])[0] ?? 0)

/** A sum in the form of the values of its attribute, such as with its currency. */
export function sumText(entityType: EntityTypePath, sum: Attribute, amount: number): string {
  // Sums of decimals are not exact in binary numbers.
  const [value] = optimisticValues(entityType, sum, [Number(amount.toFixed(4))])
  return value === undefined ? '' : valueTypeOf(sum).text(value, sum)
}

/** The values of an attribute with this option. */
export const valuesWith = (
  { entityType, attribute }: BoardQuery,
  option: Readonly<{ id: string; shown: unknown }> | null,
): readonly Value[] =>
  optimisticValues(entityType, attribute, option === null ? [] : [option.id]).map((value) => ({
    ...value,
    [optionKindOf(attribute) === 'statuses' ? 'status' : 'option']: option?.shown,
  }))
