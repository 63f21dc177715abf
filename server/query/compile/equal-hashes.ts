/**
 * Compares the hashes of equal texts. They hold for all rows with the texts, and are what an index over several columns has
 * of them. A statement compares them, so that PostgreSQL uses the index that exists for the query. Decision 0115.
 */

import type { Equality } from '../../indexes/describe/composite-index'
import { textHash } from '../../indexes/expressions'
import { propertySql } from './compile-comparison'
import { all, type StatementBuilder } from './statement-builder'
import { singleValueAccessor } from './value-accessor'

/** `alias` is the alias of the entity's row. True for no equalities. */
export const compileEqualHashes = (builder: StatementBuilder, equalities: readonly Equality[], alias: string): string =>
  all(
    equalities.map(({ attribute, property, operand }) => {
      const sql = propertySql(property, singleValueAccessor(attribute, alias)) ?? 'null'
      return `${textHash(sql)} = ${textHash(builder.bind(String(operand), 'text'))}`
    }),
  )
