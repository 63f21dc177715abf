/** Options and actors, of which the tables of a workspace have the numbers. Parameters of the statement say what they stand for. */

import { type Attribute, type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import type { StatementParameters } from './statement-parameters'

/** The body of a table that is being compiled. */
export interface TableBody {
  readonly model: DataModel
  readonly parameters: StatementParameters
  /** The joins of the table, in order. */
  readonly joins: string[]
}

/** Arrays of one length: numbers, and what the numbers stand for. */
export interface NumberedArrays {
  readonly numbers: string
  readonly contents: readonly string[]
  readonly length: number
}

interface Lookup {
  readonly arrays: NumberedArrays
  readonly number: string
  /** Whether the text names the column. `*` does not. */
  readonly isNamed: boolean
}

const MAX_SCANNED = 100

/**
 * Returns the SQL of the contents for a number. A column that the text names is joined, so that a condition on it can use an
 * index of the numbers. The others are looked up, because the planner finds no good plan for many joins.
 */
export function lookUp({ joins }: TableBody, { arrays, number, isNamed }: Lookup): string[] {
  if (!isNamed && arrays.length <= MAX_SCANNED) return lookUpItem(arrays, number)
  const alias = `j${joins.length}`
  const columns = arrays.contents.map((_, index) => `c${index}`)
  const rows = `unnest(${[arrays.numbers, ...arrays.contents].join(', ')})`
  joins.push(`left join ${rows} as ${alias}(number, ${columns.join(', ')}) on ${alias}.number = ${number}`)
  return columns.map((column) => `${alias}.${column}`)
}

export const lookUpItem = ({ numbers, contents }: NumberedArrays, number: string): string[] =>
  contents.map((content) => `(${content})[array_position(${numbers}, ${number})]`)

/** The contents are the titles. */
export function optionArrays({ parameters }: TableBody, { number, options }: Attribute): NumberedArrays {
  return {
    numbers: parameters.addArray(`option numbers ${number}`, 'int', () => options.map((option) => option.number)),
    contents: [parameters.addArray(`option titles ${number}`, 'text', () => options.map(({ title }) => title))],
    length: options.length,
  }
}

/** The contents are the ids, and the types before them if they are wanted. */
export function actorArrays({ model, parameters }: TableBody, withTypes: boolean): NumberedArrays {
  const actors = () => [[SYSTEM_ACTOR, { type: 'system', id: null }] as const, ...model.actors]
  const ids = parameters.addArray('actor ids', 'uuid', () => actors().map(([, { id }]) => id))
  return {
    numbers: parameters.addArray('actor numbers', 'int', () => actors().map(([number]) => number)),
    contents: withTypes
      ? [parameters.addArray('actor types', 'text', () => actors().map(([, { type }]) => type)), ids]
      : [ids],
    length: model.actors.size + 1,
  }
}
