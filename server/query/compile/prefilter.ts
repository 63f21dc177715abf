/**
 * Conditions that say less than the one they stand beside, but are met quickly: on all texts of a multiselect at once,
 * which is read faster than they are unfolded, and which an index can serve as none can serve parts of elements.
 */

import { joinedTexts } from '../../indexes/expressions'
import type { Attribute } from '../../data-model/model'
import type { Comparison } from '../resolve/condition'
import { any, type StatementBuilder } from './statement-builder'
import { equalityOperands, isTextMatch } from '../planning/equality'
import { hasTrigram, matchText } from './match-text'
import { singleValueAccessor } from './value-accessor'
import { findComparisonIndex } from '../planning/comparison-index'

/** SQL that holds for every entity, called `alias`, with a text that meets the comparison; undefined for other values. */
export function prefilter(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  alias: string,
): string | undefined {
  if (!('property' in comparison) || comparison.property?.source !== 'column') return undefined
  const accessor = singleValueAccessor(attribute, alias)
  const column = accessor.column(comparison.property.column)
  const parts = partsOf(comparison)
  if (column === null || parts === undefined || accessor.typeOf(comparison.property.column) !== 'text') return undefined
  const texts = parts.map(String)
  // Shorter parts are in nearly every text, and in no index.
  if (!texts.every(hasTrigram)) return undefined
  // Without the index, PostgreSQL's own function is quicker.
  const isServed = hasIndex(builder, attribute, comparison, 'trigram')
  const all = isServed ? joinedTexts(column) : `array_to_string(${column}, E'\\n')`
  return any(texts.map((text) => matchText(builder, all, '$contains', text)))
}

export function hasIndex(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  kind: string,
): boolean {
  const index = findComparisonIndex(builder.model, attribute, comparison)?.index
  return index?.kind === kind && builder.model.indexes.has(index.name)
}

/** What one of the texts must contain, or another of these; undefined when nothing is known of it. */
const partsOf = (comparison: Comparison) =>
  isTextMatch(comparison) ? [comparison.operand] : equalityOperands(comparison)
