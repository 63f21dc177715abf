/** The SQL of the values of look-ups and rollups, for the entities whose ids are the parameter `$1`. See docs/decisions/rollups.md. */

import { columnName, columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, Computed, DataModel, EntityType, Rollup } from '#engine/data-model/model'
import { referenceSql } from '#engine/formulas/formula-sql'
import { compileCondition } from './compile-condition'
import { all, createStatementBuilder, type StatementBuilder } from './statement-builder'
import { targetColumn } from '#engine/storage/layout'
import type { RollupFunction, TypeName } from '#vocabulary/data-model'
import { type Relation, relationOf } from '#engine/rollups/definition'
import { resolveRollupFilter } from '#engine/rollups/parse-rollup'

/** The statements that compute the values of attributes of one entity type. */
export interface ValuesSql {
  readonly attributes: readonly AttributeValuesSql[]
  /** `$1` is the array of the ids, so these begin at `$2`. */
  readonly parameters: readonly string[]
}

export interface AttributeValuesSql {
  readonly attribute: Attribute
  readonly columns: readonly string[]
  /** Its rows have the id, a column for each column of the attribute, and `is_changed`: whether the entity has another value. */
  readonly text: string
}

/** Without those whose definition names something which does not exist. */
export function valuesSql(model: DataModel, attributes: readonly Attribute[]): ValuesSql {
  const builder = createStatementBuilder(model)
  const where = `where p.id = any(${builder.bind('', 'uuid[]')})`
  const found = attributes.flatMap((attribute) => attributeValuesSql(builder, attribute, where) ?? [])
  return { attributes: found, parameters: builder.parameters.slice(1) }
}

function attributeValuesSql(
  builder: StatementBuilder,
  attribute: Attribute,
  where: string,
): AttributeValuesSql | undefined {
  const { model } = builder
  const { lookup, rollup } = attribute.computed ?? {}
  const relation = attribute.computed ? relationOf(model, attribute.computed) : undefined
  if (relation === undefined) return undefined
  const entities = `${entityTypeOf(model, attribute).table} p`
  const columns = columnsOf(attribute).flatMap(({ name }) => name ?? [])
  const select = (values: readonly string[]): string => {
    const stored = columns.map((column) => `p.${column}`)
    const isChanged = `row(${stored.join(', ')}) is distinct from row(${values.join(', ')}) as is_changed`
    return `select ${['p.id', ...values.map((value, index) => `${value} as ${columns[index]}`), isChanged].join(', ')} from ${entities}`
  }
  const source = model.attributesById.get(lookup?.attribute ?? '')
  if (source !== undefined) {
    const values = columnsOf(source).map(({ name, sqlType }) => (name === null ? `null::${sqlType}` : `h.${name}`))
    const join = `left join ${relation.other.table} h on ${refersSql(relation)}`
    return { attribute, columns, text: `${select(values)} ${join} ${where}` }
  }
  const result = rollup && rollupSql(builder, relation, rollup)
  if (result === undefined) return undefined
  const values = columnsOf(attribute).map(({ member }) => resultSql(attribute, member))
  return { attribute, columns, text: `${select(values)}, lateral (${result} offset 0) r ${where}` }
}

/** One member of the value that the type makes of the result `r.v`. */
function resultSql({ type }: Pick<Attribute, 'type'>, member: string): string {
  const { formula, columns } = attributeType(type)
  if (formula === undefined) throw new Error(`There are no rollups of type ${type}.`)
  if (member !== formula.column) return `null::${columns[member]}`
  const value = formula.value('r.v')
  return columns[member] === 'double precision' ? asDouble(value) : value
}

/** PostgreSQL refuses to convert what is out of range. */
const asDouble = (value: string): string =>
  `(case when abs(r.v) < 1e-307 then 0 when abs(r.v) <= 1.797e308 then ${value} end)::double precision`

/** Holds for an entity `h` of the other type from which `p` has a value. */
function refersSql({ reference, isForward }: Relation): string {
  const [from, to] = isForward ? ['p', 'h'] : ['h', 'p']
  const column = `${from}.${targetColumn(reference)}`
  if (!reference.is_multiselect) return `${column} = ${to}.id`
  // Each form uses the index of the entities that are searched.
  return isForward ? `${to}.id = any(${column})` : `${column} @> array[${to}.id]`
}

/** A list has the first values in their order, and the beginning of each, so that it stays short enough to be read and to be stored. */
const MAX_LISTED = 100
const MAX_LISTED_LENGTH = 1_000

const AGGREGATES: Readonly<Record<Exclude<RollupFunction, 'list' | 'count'>, string>> = {
  sum: 'sum',
  average: 'avg',
  min: 'min',
  max: 'max',
  earliest: 'min',
  latest: 'max',
}

/** Selects the result `v` of the entities `h` from which `p` has its value. */
function rollupSql(
  builder: StatementBuilder,
  relation: Relation,
  { function: name, of, field, filter }: Rollup,
): string | undefined {
  const { model } = builder
  const { other } = relation
  const attribute = model.attributesById.get(of ?? '')
  const condition =
    filter === undefined ? 'true' : compileCondition(builder, resolveRollupFilter(model, other, filter), 'h')
  const from = `from ${other.table} h where ${all([refersSql(relation), condition])}`
  if (name === 'count') return `select count(*)::numeric as v ${from}`
  if (attribute === undefined) return undefined
  const value = referenceSql(model, { attribute, field })
  if (name !== 'list') return `select ${AGGREGATES[name]}(${value}) as v ${from}`
  const values = `select distinct left((${value})::text, ${MAX_LISTED_LENGTH}) as v ${from} and (${value}) is not null order by 1 limit ${MAX_LISTED}`
  return `select string_agg(d.v, ', ' order by d.v) as v from (${values}) d`
}

/** The statement that computes the values which an attribute of the type would have, as JSON. Its rows have the id and the `value`. */
export function sampleSql(
  model: DataModel,
  entityType: EntityType,
  computed: Computed,
  type: TypeName,
): Pick<AttributeValuesSql, 'text'> & Pick<ValuesSql, 'parameters'> {
  const relation = relationOf(model, computed)
  if (relation === undefined) throw new Error('A definition that was checked names what exists.')
  const builder = createStatementBuilder(model)
  const where = `where p.id = any(${builder.bind('', 'uuid[]')})`
  const select = (value: string) => `select p.id, to_json(${value})::text as value from ${entityType.table} p`
  const source = model.attributesById.get(computed.lookup?.attribute ?? '')
  if (source !== undefined) {
    const join = `left join ${relation.other.table} h on ${refersSql(relation)}`
    return { text: `${select(shortText(model, source))} ${join} ${where}`, parameters: [] }
  }
  const result = computed.rollup && rollupSql(builder, relation, computed.rollup)
  if (result === undefined) throw new Error('A definition that was checked has a result.')
  const value = resultSql({ type }, attributeType(type).formula?.column ?? '')
  return { text: `${select(value)}, lateral (${result} offset 0) r ${where}`, parameters: builder.parameters.slice(1) }
}

/** A scalar that stands for the value of the row `h`. Null for an actor, whose name is in control tables. */
function shortText(model: DataModel, attribute: Attribute): string {
  const { sql } = attributeType(attribute.type)
  if (sql.form === 'actor' || sql.form === 'reference') return 'null::text'
  if (sql.form === 'struct')
    return `nullif(concat_ws(' ', ${sql.fields.flatMap(({ column, actor }) => (actor ? [] : `h.${columnName(attribute, column)}`)).join(', ')}), '')`
  const value = referenceSql(model, { attribute, field: undefined })
  return attribute.is_multiselect ? `nullif(array_to_string(${value}, ', '), '')` : value
}
