/**
 * Statements made once and run often. Their texts are the same for all writes of one shape, so each is written once, with
 * names where its parameters stand.
 */

import { renderArray, type Sql, type Transaction } from '../../db/connect'
import { prepareOptions } from '../../db/prepared-statements'
import { columnsOf, type ValueColumn } from '../attribute-types/definition/columns'
import type { Attribute, EntityType } from '../data-model/model'
import { createLru, type Lru } from '../caching/lru'
import type { Row } from './layout'

export interface Statement {
  readonly text: string
  /** The names of its parameters in the order of their numbers. */
  readonly parameters: readonly string[]
}

/** Gives the placeholder of a parameter: the same for the same name. */
export type At = (name: string) => string

/** What parameters hold, as PostgreSQL reads it. */
export type ParameterTexts = Readonly<Record<string, string | null>>

/** More shapes than an entity type is usually written in; a text takes some kilobytes. */
const MOST_SHAPES = 200

const known = new WeakMap<EntityType, Lru<string, Statement>>()

/** The statement of an entity type for a shape of write, made when it is first asked for. Kept with its entity type, so with its data model. */
export function statementFor(entityType: EntityType, shape: string, write: (at: At) => string): Statement {
  let statements = known.get(entityType)
  if (!statements) known.set(entityType, (statements = createLru(MOST_SHAPES)))
  const made = statements.get(shape)
  if (made) return made
  const statement = compileStatement(write)
  statements.set(shape, statement)
  return statement
}

export function compileStatement(write: (at: At) => string): Statement {
  const numbers = new Map<string, number>()
  const text = write((name) => {
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return `$${number}`
  })
  return { text, parameters: [...numbers.keys()] }
}

export const runStatement = (
  db: Sql | Transaction,
  { text, parameters }: Statement,
  texts: ParameterTexts,
): Promise<Row[]> =>
  db
    .unsafe(
      text,
      parameters.map((name) => texts[name] ?? null),
      prepareOptions(text),
    )
    .values() as unknown as Promise<Row[]> // rows as arrays

/** A value as PostgreSQL reads it, be it a scalar, an array of scalars, or an object for `jsonb`. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return renderArray(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A parameter of a type. All are given as text, of which the driver would take every one but `true` for false. */
export const typed = (at: At, name: string, type: string): string =>
  type === 'boolean' ? `${at(name)}::text::boolean` : `${at(name)}::${type}`

/** Columns with their SQL types. */
export type TypedColumns = readonly (readonly [name: string, type: ValueColumn['sqlType'] | 'jsonb'])[]

/** The columns of attributes. */
export function typedColumns(attributes: readonly Attribute[]): TypedColumns {
  return attributes.flatMap((attribute) =>
    columnsOf(attribute).flatMap(({ name, sqlType }) => (name === null ? [] : [[name, sqlType] as const])),
  )
}

/** The contents of columns by their names. */
export function columnTexts(columns: Readonly<Record<string, unknown>>): ParameterTexts {
  const texts: Record<string, string | null> = {}
  for (const name in columns) texts[name] = textOf(columns[name])
  return texts
}

/** What of them decides about the text of a statement. */
export const numbersOf = (attributes: readonly Attribute[]): string => attributes.map(({ number }) => number).join(',')
