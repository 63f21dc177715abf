/** Classifies comparisons for the choice of an index. */

import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute } from '#engine/data-model/model'
import type { Comparison, Operand } from '#engine/query/resolve/condition'

/** The operands of `$eq` or `$in`; undefined for other comparisons. */
export function equalityOperands(comparison: Comparison): readonly Operand[] | undefined {
  if (comparison.kind === 'in') return comparison.operands
  return comparison.kind === 'compare' && comparison.operator === '$eq' ? [comparison.operand] : undefined
}

/** Whether the comparison is with the property that the keys of a unique attribute are made of. */
export function isUniqueKey({ type, is_unique, stored_in }: Attribute, comparison: Comparison): boolean {
  const { properties, defaultProperty } = attributeType(type)
  if (!is_unique || stored_in !== 'columns' || !('property' in comparison)) return false
  return comparison.property === properties[defaultProperty ?? '']
}

/** Whether the comparison is with a part of a text. */
export const isTextMatch = (comparison: Comparison): comparison is Comparison & { readonly kind: 'compare' } =>
  comparison.kind === 'compare' && TEXT_OPERATORS.has(comparison.operator)

const TEXT_OPERATORS: ReadonlySet<string> = new Set(['$contains', '$starts_with', '$ends_with'])
