/**
 * Builds statements. All writes of one shape have the same text, so a text is built once per shape, with names for its
 * parameters.
 */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import { columnsOf, type ValueColumn } from '#engine/attribute-types/definition/columns'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { createLru, type Lru } from '#base/caching/caching'
import type { Row } from './layout'

export interface Statement {
  readonly text: string
  /** The names of its parameters in the order of their numbers. */
  readonly parameters: readonly string[]
}

/** Returns the placeholder of a parameter, the same for the same name. */
export type Placeholder = (name: string) => string

/** The values of parameters in PostgreSQL's text format, by name. */
export type ParameterTexts = Readonly<Record<string, string | null>>

/** Most entity types are written in fewer shapes. A text takes some kilobytes. */
const MAX_SHAPES = 200

const cache = new WeakMap<EntityType, Lru<string, Statement>>()

/**
 * The statement of an entity type for one shape of write. It is cached with the entity type, so for one version of the data
 * model.
 */
export function statementFor(entityType: EntityType, shape: string, build: (param: Placeholder) => string): Statement {
  let statements = cache.get(entityType)
  if (!statements) cache.set(entityType, (statements = createLru(MAX_SHAPES)))
  const cached = statements.get(shape)
  if (cached) return cached
  const statement = compileStatement(build)
  statements.set(shape, statement)
  return statement
}

/** Statements whose forms have few shapes. The text of a shape is built once, for the first form that has it. */
export function statementsByShape<Form>(
  shapeOf: (form: Form) => string,
  build: (param: Placeholder, form: Form) => string,
): (form: Form) => Statement {
  const statements = new Map<string, Statement>()
  return (form) => {
    const shape = shapeOf(form)
    const found = statements.get(shape)
    if (found !== undefined) return found
    const statement = compileStatement((param) => build(param, form))
    statements.set(shape, statement)
    return statement
  }
}

export function compileStatement(build: (param: Placeholder) => string): Statement {
  const numbers = new Map<string, number>()
  const text = build((name) => {
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return `$${number}`
  })
  return { text, parameters: [...numbers.keys()] }
}

export const runStorageStatement = (
  db: Sql | Transaction,
  { text, parameters }: Statement,
  texts: ParameterTexts,
): Promise<Row[]> =>
  rowsOf(
    db.unsafe(
      text,
      parameters.map((name) => texts[name] ?? null),
      prepareOptions(text),
    ),
  )

/** Returns the rows as objects. `T` has the selected columns with the types that the driver gives them. */
export const selectRows = async <T extends object>(
  db: Sql | Transaction,
  { text, parameters }: Statement,
  texts: ParameterTexts,
): Promise<readonly T[]> =>
  db.unsafe<T[]>(
    text,
    parameters.map((name) => texts[name] ?? null),
    prepareOptions(text),
  )

/** Sends a statement and returns its rows as arrays. */
export const rowsOf = (query: { values(): unknown }): Promise<Row[]> => query.values() as Promise<Row[]> // what `values` makes of any query

/** A row as an object. The columns are those of its statement, in their order; `T` has the types that the driver gives them. */
export const rowAsObject = <T extends object>(row: Row, columns: readonly (keyof T & string)[]): T =>
  Object.fromEntries(columns.map((column, index) => [column, row[index]])) as T // the statement selected these columns

/** A value in PostgreSQL's text format: a scalar, an array of scalars, or an object for `jsonb`. */
export function statementText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return renderArray(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A parameter with its type. All parameters are sent as text; the driver would turn every boolean text but `true` to false. */
export const typedParam = (param: Placeholder, name: string, type: string): string =>
  type === 'boolean' ? `${param(name)}::text::boolean` : `${param(name)}::${type}`

/** Columns with their SQL types. */
export type TypedColumns = readonly (readonly [name: string, type: ValueColumn['sqlType'] | 'jsonb'])[]

/** The columns of attributes with their SQL types. */
export function typedColumns(attributes: readonly Attribute[]): TypedColumns {
  return attributes.flatMap((attribute) =>
    columnsOf(attribute).flatMap(({ name, sqlType }) => (name === null ? [] : [[name, sqlType] as const])),
  )
}

/** The texts of columns, by name. */
export function columnTexts(columns: Readonly<Record<string, unknown>>): ParameterTexts {
  const texts: Record<string, string | null> = {}
  for (const name in columns) texts[name] = statementText(columns[name])
  return texts
}

/** The part of a statement's shape that attributes decide. */
export const numbersOf = (attributes: readonly Attribute[]): string => attributes.map(({ number }) => number).join(',')
