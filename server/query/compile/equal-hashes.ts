/**
 * Compares the hashes of equal texts. They hold for all rows with the texts, and are what an index over several columns has
 * of them. Decision 0115.
 */

import type { EntityType } from '../../data-model/model'
import { textHash } from '../../indexes/expressions'
import { findHashedEqualities } from '../planning/composite-index'
import type { Query } from '../resolve/resolve-query'
import { propertySql } from './compile-comparison'
import { all, type StatementBuilder } from './statement-builder'
import { singleValueAccessor } from './value-accessor'

/** `alias` is the alias of the entity's row. True when no index over several columns serves the query. */
export function compileEqualHashes(
  builder: StatementBuilder,
  entityType: EntityType,
  query: Query,
  alias: string,
): string {
  const equalities = findHashedEqualities(builder.model, entityType, query)
  return all(
    equalities.map(({ attribute, property, operand }) => {
      const sql = propertySql(property, singleValueAccessor(attribute, alias)) ?? 'null'
      return `${textHash(sql)} = ${textHash(builder.bind(String(operand), 'text'))}`
    }),
  )
}
