/** The parameters that the service adds behind those of the caller. */

import { renderArray } from '#db/connect'
import type { SqlScalar } from '#engine/attribute-types/definition/sql-form'

type Items = readonly (string | number | null)[]

export interface StatementParameters {
  /** Adds an array and returns its SQL. Arrays with the same key are the same parameter. */
  addArray(key: string, type: SqlScalar | 'int', items: () => Items): string
  readonly values: readonly string[]
}

export function createStatementParameters(callerParameters: number): StatementParameters {
  const values: string[] = []
  const added = new Map<string, string>()
  return {
    values,
    addArray(key, type, items) {
      const before = added.get(key)
      if (before !== undefined) return before
      const sql = `$${callerParameters + values.push(renderArray(items()))}::${type}[]`
      added.set(key, sql)
      return sql
    },
  }
}
