/**
 * Compares the hashes of equal texts. They hold for all rows with the texts, and are what indexes have of texts. A statement
 * compares them, so that PostgreSQL uses the index that exists for the query. See docs/decisions/indexes.md.
 */

import type { Equality } from '#engine/indexes/describe/composite-index'
import type { Attribute } from '#engine/data-model/model'
import { textHash, textHashes } from '#engine/indexes/expressions'
import { equalityOperands } from '#engine/query/planning/equality'
import type { Comparison } from '#engine/query/resolve/condition'
import { arraySql, propertySql } from './compile-comparison'
import { hasIndex } from './prefilter'
import { all, scalarSql, type StatementBuilder } from './statement-builder'
import { singleValueAccessor, type ValueAccessor } from './value-accessor'

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
