/**
 * Conditions that say less than the one they stand beside, but are met quickly: on all texts of a multiselect at once,
 * which is read faster than they are unfolded, and which an index can serve as none can serve parts of elements.
 */

import { joined } from '../../indexes/expressions'
import type { Attribute } from '../../data-model/model'
import type { Comparison } from '../resolve/condition'
import { any, type Draft } from './statement-builder'
import { equalTo, isTextMatch } from '../planning/equality'
import { hasTrigram, matchText } from './match-text'
import { singlePlace } from './value-accessor'
import { indexFor } from '../planning/index-advisor'

/** SQL that holds for every holder, called `alias`, with a text that meets the comparison; undefined for other values. */
export function narrow(draft: Draft, attribute: Attribute, comparison: Comparison, alias: string): string | undefined {
  if (!('property' in comparison) || comparison.property?.source !== 'column') return undefined
  const place = singlePlace(attribute, alias)
  const column = place.column(comparison.property.column)
  const parts = partsOf(comparison)
  if (column === null || parts === undefined || place.typeOf(comparison.property.column) !== 'text') return undefined
  const texts = parts.map(String)
  // Shorter parts are in nearly every text, and in no index.
  if (!texts.every(hasTrigram)) return undefined
  // Without the index, PostgreSQL's own function is quicker.
  const isServed = hasIndex(draft, attribute, comparison, 'trigram')
  const all = isServed ? joined(column) : `array_to_string(${column}, E'\\n')`
  return any(texts.map((text) => matchText(draft, all, '$contains', text)))
}

export function hasIndex(draft: Draft, attribute: Attribute, comparison: Comparison, kind: string): boolean {
  const index = indexFor(draft.model, attribute, comparison)?.index
  return index?.kind === kind && draft.model.indexes.has(index.name)
}

/** What one of the texts must contain, or another of these; undefined when nothing is known of it. */
const partsOf = (comparison: Comparison) => (isTextMatch(comparison) ? [comparison.operand] : equalTo(comparison))
