/** A statement in the making. Its text is made of our own words and numbers alone; all that came from outside is a parameter. */

import type { Scalar, SqlType } from '../../attribute-types/define'
import type { DataModel } from '../../data-model/model'
import { integerSql } from '../../indexes/expressions'

export interface StatementBuilder {
  readonly model: DataModel
  /** The parameters so far, in PostgreSQL's text form. */
  readonly parameters: readonly string[]
  /** SQL for a parameter of the given type. */
  bind(text: string, type: SqlType | `${SqlType}[]`): string
  /** A name for a table or a set of values that is not in use yet: `t1`, `v2`. */
  alias(prefix: string): string
}

export function createStatementBuilder(model: DataModel): StatementBuilder {
  const parameters: string[] = []
  let aliases = 0
  return {
    model,
    parameters,
    bind: (text, type) => `$${parameters.push(text)}::${type}`,
    alias: (prefix) => `${prefix}${++aliases}`,
  }
}

/** A scalar of a property. Truth values and our own numbers stand in the text, which gives better plans. */
export function scalarSql(builder: StatementBuilder, scalar: Scalar, type: SqlType): string {
  if (scalar === null) return 'null'
  if (typeof scalar === 'boolean') return String(scalar)
  if (type === 'int' || type === 'smallint') return integerSql(Number(scalar))
  return builder.bind(String(scalar), type)
}

/** Parts of which all, or any, must hold. */
export const all = (parts: readonly string[]): string => joined(parts, ' and ', 'true')
export const any = (parts: readonly string[]): string => joined(parts, ' or ', 'false')

function joined(parts: readonly string[], word: string, none: string): string {
  const telling = parts.filter((part) => part !== none)
  const [first, ...others] = telling
  if (first === undefined) return none
  return others.length === 0 ? first : `(${telling.join(word)})`
}
