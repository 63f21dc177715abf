/** Compiles the conditions that an index answers where the exact condition cannot: prefilters, and the hashes of equal texts. */

import { joinedTexts, textHash, textHashes } from '#engine/indexes/expressions'
import type { Attribute } from '#engine/data-model/model'
import type { Comparison } from '#engine/query/resolve/condition'
import { all, any, scalarSql, type StatementBuilder } from './statement-builder'
import { equalityOperands, isTextMatch } from '#engine/query/planning/composite-index'
import { arraySql, hasTrigram, matchText, propertySql } from './compile-comparison'
import { singleValueAccessor, type ValueAccessor } from './value-accessor'
import { findComparisonIndex } from '#engine/query/planning/query-indexes'
import type { Equality } from '#engine/indexes/describe/composite-index'

/**
 * A prefilter: SQL that holds for every entity with a text that meets the comparison. Undefined when there is no such condition. It is
 * wider than the exact condition, beside which it is cheap to check: it compares all texts of a multiselect as one text, which is faster
 * than unnesting the array. A trigram index can answer it; no trigram index can answer a condition on array elements.
 */
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

// Compares the hashes of equal texts. They hold for all rows with the texts, and are what indexes have of texts. A statement
// compares them, so that PostgreSQL uses the index that exists for the query. See docs/decisions/indexes.md.

/** For an index over several columns. `alias` is the alias of the entity's row. True for no equalities. */
export const compileEqualHashes = (builder: StatementBuilder, equalities: readonly Equality[], alias: string): string =>
  all(
    equalities.map(({ attribute, property, operand }) => {
      const sql = propertySql(property, singleValueAccessor(attribute, alias)) ?? 'null'
      return `${textHash(sql)} = ${textHash(builder.bind(String(operand), 'text'))}`
    }),
  )

/** A comparison with equal texts, and with their hashes. Undefined unless the index over the hashes exists. */
export function compileHashedTexts(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  accessor: ValueAccessor,
): string | undefined {
  const operands = equalityOperands(comparison)
  const [only = null, ...others] = operands ?? []
  if (only === null || !hasIndex(builder, attribute, comparison, 'exact')) return undefined
  if (comparison.kind !== 'compare' && comparison.kind !== 'in') return undefined
  const text = propertySql(comparison.property, accessor)
  if (text === null || operands === undefined || typeof only === 'object') return undefined
  if (others.length === 0) {
    const operand = scalarSql(builder, only, 'text')
    return all([`${textHash(text)} = ${textHash(operand)}`, assured(`${text} = ${operand}`)])
  }
  const texts = arraySql(builder, operands, 'text')
  return all([`${textHash(text)} = any(${textHashes(texts)})`, assured(`${text} = any(${texts})`)])
}

/**
 * The condition in a form that PostgreSQL estimates to hold for nearly all rows, as it does for those with the same hashes.
 * It would multiply the shares of text and hash, as if they were independent.
 */
const assured = (condition: string): string => `nullif(${condition}, false) is not null`
