/** Builds a statement. Its text consists of our own words and numbers; every text of a caller is a parameter. */

import type { Scalar, SqlType } from '#engine/attribute-types/define'
import type { DataModel } from '#engine/data-model/model'
import { integerSql } from '#engine/indexes/expressions'

export interface StatementBuilder {
  readonly model: DataModel
  /** The SQL of the present time for formulas that read the clock, the beginning of the transaction by default. */
  readonly clock: string | undefined
  /** The bound parameters, in PostgreSQL's text form. */
  readonly parameters: readonly string[]
  /** Adds a parameter and returns its SQL. */
  bind(text: string, type: SqlType | `${SqlType}[]`): string
  /** Returns an alias that the statement does not use yet: `t1`, `v2`. */
  alias(prefix: string): string
}

/** `clock` is the present time of the statement, if it is not that of its transaction. */
export function createStatementBuilder(model: DataModel, clock?: string): StatementBuilder {
  const parameters: string[] = []
  let aliases = 0
  const bind: StatementBuilder['bind'] = (text, type) => `$${parameters.push(text)}::${type}`
  return {
    model,
    clock: clock === undefined ? undefined : bind(clock, 'timestamptz'),
    parameters,
    bind,
    alias: (prefix) => `${prefix}${++aliases}`,
  }
}

/** The SQL of a scalar. Booleans and integers are written into the text, which gives better plans. */
export function scalarSql(builder: StatementBuilder, scalar: Scalar, type: SqlType): string {
  if (scalar === null) return 'null'
  if (typeof scalar === 'boolean') return String(scalar)
  if (type === 'int' || type === 'smallint') return integerSql(Number(scalar))
  return builder.bind(String(scalar), type)
}

/** Joins conditions of which all, or any, must hold. */
export const all = (parts: readonly string[]): string => joined(parts, ' and ', 'true')
export const any = (parts: readonly string[]): string => joined(parts, ' or ', 'false')

function joined(parts: readonly string[], operator: string, neutral: string): string {
  const conditions = parts.filter((part) => part !== neutral)
  const [first, ...others] = conditions
  if (first === undefined) return neutral
  return others.length === 0 ? first : `(${conditions.join(operator)})`
}
