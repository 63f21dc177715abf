/**
 * Conditions on all texts of a multiselect at once, which an index serves, beside those on each of its values, which none
 * can. They only narrow down where to look, and would cost more than they save while the index is not there.
 */

import { joined } from '../indexes/expressions'
import type { Attribute } from '../data-model/model'
import type { Comparison } from './condition'
import { any, type Draft } from './draft'
import { equalTo } from './equality'
import { hasTrigram, matchText } from './match-text'
import { singlePlace } from './place'
import { indexFor } from './serving'

/** SQL that holds for every holder, called `alias`, with a value that meets the comparison; undefined for all others. */
export function narrow(draft: Draft, attribute: Attribute, comparison: Comparison, alias: string): string | undefined {
  const index = indexFor(draft.model, attribute, comparison)?.index
  if (index?.kind !== 'trigram' || !draft.model.indexes.has(index.name)) return undefined
  const column = singlePlace(attribute, alias).column(columnOf(comparison) ?? '')
  if (column === null) return undefined
  const texts = partsOf(comparison).map(String)
  // An index can be asked for any of them only when it can be asked for each.
  if (!texts.every(hasTrigram)) return undefined
  return any(texts.map((text) => matchText(draft, joined(column), '$contains', text)))
}

const columnOf = (comparison: Comparison): string | undefined =>
  'property' in comparison && comparison.property?.source === 'column' ? comparison.property.column : undefined

/** What the text of a value must contain, one of it at least. */
const partsOf = (comparison: Comparison) =>
  equalTo(comparison) ?? (comparison.kind === 'compare' ? [comparison.operand] : [])
