/**
 * Prefilters: conditions that are cheap to check beside the exact ones. A prefilter is wider than the exact condition: it
 * compares all texts of a multiselect as one text, which is faster than unnesting the array. A trigram index can answer it; no
 * trigram index can answer a condition on array elements.
 */

import { joinedTexts } from '#engine/indexes/expressions'
import type { Attribute } from '#engine/data-model/model'
import type { Comparison } from '#engine/query/resolve/condition'
import { any, type StatementBuilder } from './statement-builder'
import { equalityOperands, isTextMatch } from '#engine/query/planning/equality'
import { hasTrigram, matchText } from './match-text'
import { singleValueAccessor } from './value-accessor'
import { findComparisonIndex } from '#engine/query/planning/comparison-index'

/** SQL that holds for every entity with a text that meets the comparison. Undefined when there is no such condition. */
export function prefilter(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  alias: string,
): string | undefined {
  if (!('property' in comparison) || comparison.property?.source !== 'column') return undefined
  const accessor = singleValueAccessor(attribute, alias)
  const column = accessor.column(comparison.property.column)
  const operands = textOperands(comparison)
  if (column === null || operands === undefined || accessor.typeOf(comparison.property.column) !== 'text')
    return undefined
  const texts = operands.map(String)
  // A shorter operand is in nearly every text, and no index serves it.
  if (!texts.every(hasTrigram)) return undefined
  // Without the index, PostgreSQL's own function is faster than the indexed expression.
  const isIndexed = hasIndex(builder, attribute, comparison, 'trigram')
  const joined = isIndexed ? joinedTexts(column) : `array_to_string(${column}, E'\\n')`
  return any(texts.map((text) => matchText(builder, joined, '$contains', text)))
}

/** Whether an index of this kind that serves the comparison was built. */
export function hasIndex(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  kind: string,
): boolean {
  const index = findComparisonIndex(builder.model, attribute, comparison)?.index
  return index?.kind === kind && builder.model.indexes.has(index.name)
}

/** The texts of which a value contains at least one; undefined for other comparisons. */
const textOperands = (comparison: Comparison) =>
  isTextMatch(comparison) ? [comparison.operand] : equalityOperands(comparison)
