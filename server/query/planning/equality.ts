/** What kind of comparison one is, for those who look for indexes. */

import { attributeType } from '../../attribute-types/registry'
import type { Attribute } from '../../data-model/model'
import type { Comparison, Operand } from '../resolve/condition'

/** The operands of which a value has to equal one; undefined for other comparisons. */
export function equalTo(comparison: Comparison): readonly Operand[] | undefined {
  if (comparison.kind === 'in') return comparison.operands
  return comparison.kind === 'compare' && comparison.operator === '$eq' ? [comparison.operand] : undefined
}

/** Whether the comparison is with what makes values of a unique attribute the same. */
export function isKey({ type, is_unique, stored_in }: Attribute, comparison: Comparison): boolean {
  const { properties, defaultProperty } = attributeType(type)
  if (!is_unique || stored_in !== 'columns' || !('property' in comparison)) return false
  return comparison.property === properties[defaultProperty ?? '']
}

/** Whether the comparison is with a part of a text. */
export const isTextMatch = (comparison: Comparison): comparison is Comparison & { readonly kind: 'compare' } =>
  comparison.kind === 'compare' && PARTS.has(comparison.operator)

const PARTS: ReadonlySet<string> = new Set(['$contains', '$starts_with', '$ends_with'])
