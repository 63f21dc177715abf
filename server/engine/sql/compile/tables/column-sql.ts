/**
 * The SQL of one column of a table, over the entity's row `h`. A composite value is `row(…)`, of which the planner takes single
 * fields, so that a comparison with a field can use an index.
 */

import { columnName, columnsOf, memberSql } from '#engine/attribute-types/definition/columns'
import type { SqlForm, SqlScalar } from '#engine/attribute-types/definition/sql-form'
import { attributeType } from '#engine/attribute-types/registry'
import { allowsObject } from '#engine/data-model/find'
import { isHidden } from '#engine/data-model/access/hidden'
import { type Attribute, type DataModel, hasRecords, SYSTEM_ACTOR } from '#engine/data-model/model'
import { getPartner, targetColumn } from '#engine/storage/layout'
import { renderArray } from '#db/connect'

/** How a query reads a column. */
interface ColumnReading {
  /** Whether the text names the column. `*` does not. */
  readonly isNamed: boolean
  /** Whether the query reads the value as a whole, so that an absent composite value must be null. */
  readonly isWhole: boolean
}

export function columnSql(body: TableBody, attribute: Attribute, reading: ColumnReading): string {
  if (attribute.stored_in === 'partner') return derivedReferences(body, attribute)
  const { sql } = attributeType(attribute.type)
  return attribute.is_multiselect ? arraySql(body, attribute, sql) : valueSql(body, attribute, sql, reading)
}

function valueSql(body: TableBody, attribute: Attribute, form: SqlForm, { isNamed, isWhole }: ColumnReading): string {
  const column = (member: string) => `h.${columnName(attribute, member)}`
  if (form.form === 'scalar') {
    const value = memberSql(attribute, form.column, 'h', body.clock) ?? 'null'
    return form.convert?.(value) ?? value
  }
  if (form.form === 'option')
    return lookUp(body, { arrays: optionArrays(body, attribute), number: column(form.column), isNamed }).join()
  if (form.form === 'actor') {
    const fields = lookUp(body, { arrays: actorArrays(body, true), number: column(form.column), isNamed })
    return composite('actor_reference', fields, isWhole ? [column(form.column)] : null)
  }
  if (form.form === 'reference') {
    const record = visibleTo(attribute, column(form.object), column(form.record))
    const fields = [objectIdSql(body, attribute, column(form.object)), record]
    return composite('record_reference', fields, isWhole ? [record] : null)
  }
  const fields = form.fields.flatMap(({ column: member, actor }) =>
    actor ? lookUp(body, { arrays: actorArrays(body, false), number: column(member), isNamed }) : column(member),
  )
  return composite(form.type, fields, isWhole ? form.fields.map(({ column: member }) => column(member)) : null)
}

/** `presence`: the columns of which at least one has a value if the attribute has one. */
function composite(type: string, fields: readonly string[], presence: readonly string[] | null): string {
  const row = `row(${fields.join(', ')})::relata_sql.${type}`
  return presence === null ? row : `case when num_nonnulls(${presence.join(', ')}) > 0 then ${row} end`
}

function arraySql(body: TableBody, attribute: Attribute, form: SqlForm): string {
  const column = (member: string) => `h.${columnName(attribute, member)}`
  if (form.form === 'scalar') return `coalesce(${column(form.column)}, '{}')`
  if (form.form === 'option') {
    const title = lookUpItem(optionArrays(body, attribute), 'i.number').join()
    return arrayOf('text', title, `${column(form.column)}) with ordinality i(number, n`)
  }
  if (form.form === 'actor') {
    const value = composite('actor_reference', lookUpItem(actorArrays(body, true), 'i.number'), null)
    return arrayOf('relata_sql.actor_reference', value, `${column(form.column)}) with ordinality i(number, n`)
  }
  if (form.form !== 'reference') throw new Error(`Attribute ${attribute.api_slug} cannot have several values.`)
  const value = composite('record_reference', [objectIdSql(body, attribute, 'i.object'), 'i.id'], null)
  const items = `${column(form.object)}, ${column(form.record)}) with ordinality i(object, id, n`
  return arrayOf('relata_sql.record_reference', value, items, isVisible(attribute, 'i.object'))
}

/** The SQL that holds for a reference whose object, by its number, is not hidden; undefined when no object is. */
const isVisible = ({ hiddenTargets }: Attribute, object: string): string | undefined =>
  hiddenTargets && `${object} not in (${hiddenTargets.map(({ number }) => number).join(', ')})`

function visibleTo(attribute: Attribute, object: string, record: string): string {
  const condition = isVisible(attribute, object)
  return condition === undefined ? record : `case when ${condition} then ${record} end`
}

/** Makes an array of the items of array columns that meet the condition, in their order. */
const arrayOf = (type: string, value: string, items: string, condition?: string): string =>
  `coalesce((select array_agg(${value} order by i.n) from unnest(${items})${condition === undefined ? '' : ` where ${condition}`}), '{}'::${type}[])`

/** The side of a relationship that is not stored: the records that refer to this one, the newest first. */
function derivedReferences({ model }: TableBody, attribute: Attribute): string {
  const { attribute: partner, entityType } = getPartner(model, attribute)
  const column = `d.${targetColumn(partner)}`
  const refers = partner.is_multiselect ? `${column} @> array[h.id]` : `${column} = h.id`
  const value = composite('record_reference', [`'${entityType.id}'::uuid`, 'd.id'], null)
  const from = `from ${entityType.table} d where ${refers}`
  if (!attribute.is_multiselect) return `(select ${value} ${from} limit 1)`
  return `coalesce((select array_agg(${value} order by d.id desc) ${from}), '{}'::relata_sql.record_reference[])`
}

const MAX_CASES = 8

/** The id of the object or activity with a number, of those to which an attribute can refer. Ids in the data model are UUIDs. */
function objectIdSql({ model, parameters }: TableBody, attribute: Attribute, number: string): string {
  const objects = model.entityTypes.filter(hasRecords).filter((each) => !isHidden(model, each))
  const allowed = objects.filter((object) => allowsObject(attribute, object))
  if (allowed.length > 0 && allowed.length <= MAX_CASES)
    return `case ${number}${allowed.map((object) => ` when ${object.number} then '${object.id}'::uuid`).join('')} end`
  const numbers = parameters.addArray('object numbers', 'int', () => objects.map((object) => object.number))
  const contents = [parameters.addArray('object ids', 'uuid', () => objects.map(({ id }) => id))]
  return lookUpItem({ numbers, contents, length: objects.length }, number).join()
}

// Options and actors, of which the tables of a workspace have the numbers. Parameters of the statement say what they stand for.

/** The body of a table that is being compiled. */
interface TableBody {
  readonly model: DataModel
  readonly parameters: StatementParameters
  /** The joins of the table, in order. Null for an expression over a row, which has none. */
  readonly joins: string[] | null
  /** The SQL of the present time for formulas that read the clock, the beginning of the transaction by default. */
  readonly clock?: string
}

/** Arrays of one length: numbers, and what the numbers stand for. */
interface NumberedArrays {
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
function lookUp({ joins }: TableBody, { arrays, number, isNamed }: Lookup): string[] {
  if (joins === null || (!isNamed && arrays.length <= MAX_SCANNED)) return lookUpItem(arrays, number)
  const alias = `j${joins.length}`
  const columns = arrays.contents.map((_, index) => `c${index}`)
  const rows = `unnest(${[arrays.numbers, ...arrays.contents].join(', ')})`
  joins.push(`left join ${rows} as ${alias}(number, ${columns.join(', ')}) on ${alias}.number = ${number}`)
  return columns.map((column) => `${alias}.${column}`)
}

const lookUpItem = ({ numbers, contents }: NumberedArrays, number: string): string[] =>
  contents.map((content) => `(${content})[array_position(${numbers}, ${number})]`)

/** The contents are the titles. */
function optionArrays({ parameters }: TableBody, { number, options }: Attribute): NumberedArrays {
  return {
    numbers: parameters.addArray(`option numbers ${number}`, 'int', () => options.map((option) => option.number)),
    contents: [parameters.addArray(`option titles ${number}`, 'text', () => options.map(({ title }) => title))],
    length: options.length,
  }
}

/** The contents are the ids, and the types before them if they are wanted. */
function actorArrays({ model, parameters }: TableBody, withTypes: boolean): NumberedArrays {
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

/** The types of the columns of SQL queries. See docs/decisions/sql.md. */
export interface ColumnType {
  /** A scalar, or a composite type of `relata_sql`. */
  readonly name: string
  readonly isArray: boolean
  /** The fields of a composite type. Null for a scalar. */
  readonly fields: readonly string[] | null
  /** The name of the column with the nanoseconds below the microseconds of a timestamp. */
  readonly nanoseconds?: string
}

/** The beginning of the names of columns with nanoseconds, which no column has that callers name. */
export const NANOSECONDS = 'relata_ns:'

const REFERENCE_FIELDS = ['entity_definition_id', 'entity_instance_id']
const ACTOR_FIELDS = ['actor_type', 'actor_id']

export function columnTypeOf(attribute: Attribute): ColumnType {
  const isArray = attribute.is_multiselect
  const { sql } = attributeType(attribute.type)
  if (sql.form === 'scalar') {
    const nanoseconds =
      nanosecondsColumn(attribute) === null ? {} : { nanoseconds: `${NANOSECONDS}${attribute.number}` }
    return { name: scalarOf(attribute, sql), isArray, fields: null, ...nanoseconds }
  }
  if (sql.form === 'option') return { name: 'text', isArray, fields: null }
  if (sql.form === 'actor') return { name: 'actor_reference', isArray, fields: ACTOR_FIELDS }
  if (sql.form === 'reference') return { name: 'record_reference', isArray, fields: REFERENCE_FIELDS }
  return { name: sql.type, isArray, fields: sql.fields.map(({ name }) => name) }
}

/** The ids of the entities themselves are UUIDs, so that comparisons use the primary key. */
function scalarOf(attribute: Attribute, { type }: Extract<SqlForm, { form: 'scalar' }>): SqlScalar {
  return attribute.stored_in === 'entity' && columnsOf(attribute)[0]?.name === 'id' ? 'uuid' : type
}

/** The stored column with the nanoseconds of a timestamp. Null for any other attribute, and for the times of the entity itself. */
export function nanosecondsColumn(attribute: Attribute): string | null {
  const { sql } = attributeType(attribute.type)
  if (sql.form !== 'scalar' || sql.nanoseconds === undefined) return null
  return columnsOf(attribute).find(({ member }) => member === sql.nanoseconds)?.name ?? null
}

/** The parameters that the service adds behind those of the caller. */
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
