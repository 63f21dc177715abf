/**
 * The SQL of one column of a table, over the entity's row `h`. A composite value is `row(…)`, of which the planner takes single
 * fields, so that a comparison with a field can use an index.
 */

import { columnName } from '../../../attribute-types/definition/columns'
import type { SqlForm } from '../../../attribute-types/definition/sql-form'
import { attributeType } from '../../../attribute-types/registry'
import { type Attribute, type DataModel, SYSTEM_ACTOR } from '../../../data-model/model'
import { getPartner, targetColumn } from '../../../storage/references'
import type { StatementParameters } from './statement-parameters'

export interface TableBody {
  readonly model: DataModel
  readonly parameters: StatementParameters
  /** The joins of the table, in order. */
  readonly joins: string[]
}

/** `isWhole`: whether the query reads the value as a whole, so that an absent composite value must be null. */
export function columnSql(body: TableBody, attribute: Attribute, isWhole: boolean): string {
  if (attribute.stored_in === 'partner') return derivedReferences(body, attribute)
  const { sql } = attributeType(attribute.type)
  return attribute.is_multiselect ? arraySql(body, attribute, sql) : valueSql(body, attribute, sql, isWhole)
}

function valueSql(body: TableBody, attribute: Attribute, form: SqlForm, isWhole: boolean): string {
  const column = (member: string) => `h.${columnName(attribute, member)}`
  if (form.form === 'scalar') return form.convert?.(column(form.column)) ?? column(form.column)
  if (form.form === 'option') return `${joinOptions(body, attribute, column(form.column))}.title`
  if (form.form === 'actor') {
    const actor = joinActors(body, column(form.column))
    return composite('actor_reference', [`${actor}.type`, `${actor}.id`], isWhole ? [column(form.column)] : null)
  }
  if (form.form === 'reference') {
    const fields = [objectIdSql(body.model, column(form.object)), column(form.record)]
    return composite('record_reference', fields, isWhole ? [column(form.record)] : null)
  }
  const fields = form.fields.map(({ column: member, actor }) =>
    actor === undefined ? column(member) : `${joinActors(body, column(member))}.id`,
  )
  return composite(form.type, fields, isWhole ? form.fields.map(({ column: member }) => column(member)) : null)
}

/** `presence`: the columns of which at least one has a value if the attribute has one. */
function composite(type: string, fields: readonly string[], presence: readonly string[] | null): string {
  const row = `row(${fields.join(', ')})::relata_sql.${type}`
  if (presence === null) return row
  const [first, ...others] = presence
  return `case when ${others.length === 0 ? `${first} is not null` : `num_nonnulls(${presence.join(', ')}) > 0`} then ${row} end`
}

function arraySql(body: TableBody, attribute: Attribute, form: SqlForm): string {
  const column = (member: string) => `h.${columnName(attribute, member)}`
  if (form.form === 'scalar') return `coalesce(${column(form.column)}, '{}')`
  if (form.form === 'option') {
    const [numbers, titles] = optionArrays(body.parameters, attribute)
    return arrayOf(
      'text',
      `(${titles})[array_position(${numbers}, i.number)]`,
      `${column(form.column)}) with ordinality i(number, n`,
    )
  }
  if (form.form === 'actor') {
    const [numbers, types, ids] = actorArrays(body)
    const place = `array_position(${numbers}, i.number)`
    const value = composite('actor_reference', [`(${types})[${place}]`, `(${ids})[${place}]`], null)
    return arrayOf('relata_sql.actor_reference', value, `${column(form.column)}) with ordinality i(number, n`)
  }
  if (form.form !== 'reference') throw new Error(`Attribute ${attribute.api_slug} cannot have several values.`)
  const value = composite('record_reference', [objectIdSql(body.model, 'i.object'), 'i.id'], null)
  const items = `${column(form.object)}, ${column(form.record)}) with ordinality i(object, id, n`
  return arrayOf('relata_sql.record_reference', value, items)
}

/** Makes an array of the items of array columns, in their order. */
const arrayOf = (type: string, value: string, items: string): string =>
  `coalesce((select array_agg(${value} order by i.n) from unnest(${items})), '{}'::${type}[])`

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

/** The id of the object with a number. Ids come from the data model, in which they are UUIDs. */
function objectIdSql({ entityTypes }: DataModel, number: string): string {
  const objects = entityTypes.filter(({ kind }) => kind === 'object')
  return `case ${number}${objects.map((object) => ` when ${object.number} then '${object.id}'::uuid`).join('')} end`
}

function joinOptions(body: TableBody, attribute: Attribute, number: string): string {
  const [numbers, titles] = optionArrays(body.parameters, attribute)
  return join(body, `unnest(${numbers}, ${titles})`, 'number, title', number)
}

function joinActors(body: TableBody, number: string): string {
  return join(body, `unnest(${actorArrays(body).join(', ')})`, 'number, type, id', number)
}

/** Joins rows by number and returns their alias. One number has at most one row. */
function join({ joins }: TableBody, rows: string, columns: string, number: string): string {
  const alias = `j${joins.length}`
  joins.push(`left join ${rows} as ${alias}(${columns}) on ${alias}.number = ${number}`)
  return alias
}

const optionArrays = (parameters: StatementParameters, { number, options }: Attribute) =>
  [
    parameters.addArray(`option numbers ${number}`, 'int', () => options.map((option) => option.number)),
    parameters.addArray(`option titles ${number}`, 'text', () => options.map(({ title }) => title)),
  ] as const

function actorArrays({ model, parameters }: TableBody) {
  const actors = () => [[SYSTEM_ACTOR, { type: 'system', id: null }] as const, ...model.actors]
  return [
    parameters.addArray('actor numbers', 'int', () => actors().map(([number]) => number)),
    parameters.addArray('actor types', 'text', () => actors().map(([, { type }]) => type)),
    parameters.addArray('actor ids', 'uuid', () => actors().map(([, { id }]) => id)),
  ] as const
}
