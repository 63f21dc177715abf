/** Compiles the statements of aggregates: one row over all entities that meet a condition, and one row for each group. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { attributeType } from '#engine/attribute-types/registry'
import { describeCoveringIndex } from '#engine/indexes/describe/covering-index'
import { compileCondition } from './compile-condition'
import type { QueryStatement } from './page-statement'
import { type JoinCollector, joinTarget } from './references'
import type { PeriodUnit } from '#vocabulary/relative-periods'
import { all, createStatementBuilder, scalarSql, type StatementBuilder } from './statement-builder'
import { elementAccessor, singleValueAccessor, type ValueAccessor } from './value-accessor'
import type { ResolvedPath } from '#engine/query/resolve/resolve-path'
import type { Condition } from '#engine/query/resolve/condition'
import { type Aggregate, type Grouping, numberMember } from '#engine/query/aggregate/resolve-aggregates'

const ENTITY_ALIAS = 'h'

const SQL_FUNCTIONS = { sum: 'sum', average: 'avg', min: 'min', max: 'max' } as const

/** Longer texts are in the group of their first characters. */
const MAX_GROUP_TEXT = 255

/** The row has the count of the entities, then each aggregate as text. */
export function compileAggregates(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  aggregates: readonly Aggregate[],
): QueryStatement {
  const builder = createStatementBuilder(model)
  const references = followReferences(builder)
  const inputs = inputsOf(builder, aggregates, references)
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const from = entitiesSql(builder, entityType, { columns: inputs.columns, joins: references.joins, where })
  const values = aggregates.map((aggregate, index) => aggregateSql(aggregate, inputs.sql[index] ?? ''))
  return { text: `select ${['count(*)', ...values].join(', ')}\n${from}`, parameters: builder.parameters }
}

type FollowedReferences = ReturnType<typeof followReferences>

/** The records at the ends of paths. Paths with the same steps share their joins. */
function followReferences(builder: StatementBuilder) {
  const collector: JoinCollector = { joins: [], joinType: 'left join' }
  const records = new Map<string, string>()
  return {
    joins: collector.joins,
    /** The alias of the record that has the attribute. */
    recordOf: (resolved: Pick<ResolvedPath, 'steps'> | { readonly function: 'count' }): string =>
      ('steps' in resolved ? resolved.steps : []).reduce(
        ({ alias, key }, step) => {
          const next = `${key} ${step.attribute.id} ${step.target.id}`
          const record = records.get(next) ?? joinTarget(builder, step, alias, collector)
          records.set(next, record)
          return { alias: record, key: next }
        },
        { alias: ENTITY_ALIAS, key: '' },
      ).alias,
  }
}

/** What an aggregate reads of one entity: its number, or whether it has a value. `alias` is that of the record with the attribute. */
function inputSql(builder: StatementBuilder, aggregate: Aggregate, alias: string): string {
  if (aggregate.function === 'count') return ''
  const { function: fn, attribute } = aggregate
  if (fn !== 'filled' && fn !== 'empty')
    return singleValueAccessor(attribute, alias).column(numberMember(attribute) ?? '') ?? 'null'
  const present: Condition = { kind: 'value', attribute, comparisons: [{ kind: 'present', property: null }] }
  return `(${compileCondition(builder, present, alias)})`
}

function aggregateSql({ function: fn }: Aggregate, input: string): string {
  if (fn === 'count') return 'count(*)::text'
  if (fn === 'filled' || fn === 'empty')
    return `(count(*) filter (where ${input} is ${fn === 'filled' ? 'true' : 'not true'}))::text`
  // Sums of double precision would show the errors of binary fractions.
  return `${SQL_FUNCTIONS[fn]}(${input}::numeric)::text`
}

interface Groups {
  readonly groupings: readonly [Grouping, ...Grouping[]]
  readonly aggregates: readonly Aggregate[]
  /** Of steps. */
  readonly timeZone: string
}

/**
 * The rows have the members of each grouping, the count, and the aggregates as text. The largest groups come first; of groups of
 * times, the latest. An entity with several values is in several groups.
 */
export function compileGroups(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  { groupings, aggregates, timeZone, limit }: Groups & { readonly limit: number },
): QueryStatement {
  const builder = createStatementBuilder(model)
  const { keys, inputs, from } = keyedEntities(builder, entityType, condition, { groupings, aggregates, timeZone })
  const values = aggregates.map((aggregate, index) => aggregateSql(aggregate, inputs[index] ?? ''))
  const text = [
    `select ${[...keys.flat(), 'count(*)', ...values].join(', ')}`,
    from,
    `group by ${keys.flat().join(', ')}`,
    `order by ${orderOf(groupings, keys, 'count(*)')}`,
    `limit ${limit}`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

/**
 * All levels of groups in one pass over the entities: everything together, each group, and each split of a group. The rows begin with
 * the number of the groupings that they combine, followed by the columns of `compileGroups`, of which the keys of the other groupings
 * are null. Entities must be in one group each: the sums of the splits are those of the groups.
 */
export function compileRollup(
  model: DataModel,
  entityType: EntityType,
  condition: Condition,
  { groupings, aggregates, timeZone, limits }: Groups & { readonly limits: readonly number[] },
): QueryStatement {
  const builder = createStatementBuilder(model)
  const { keys, wholeKeys, inputs, from } = keyedEntities(builder, entityType, condition, {
    groupings,
    aggregates,
    timeZone,
    isSummed: true,
  })
  const parts = aggregates.map((aggregate, index) => partSql(aggregate, inputs[index] ?? '', index))
  const all = keys.flat()
  const level = `${groupings.length} - ${keys.map(([first]) => `grouping(${first})`).join(' - ')}`
  const order = orderOf(groupings, keys, 'sum(n)')
  const sets = [
    '()',
    ...keys.map(
      (_, index) =>
        `(${keys
          .slice(0, index + 1)
          .flat()
          .join(', ')})`,
    ),
  ]
  const names = aggregates.map((_, index) => `value_${index}`)
  const text = [
    `select ${['level', ...all, 'n', ...names].join(', ')} from (`,
    `select ${[`${level} as level`, ...all, 'coalesce(sum(n), 0) as n'].join(', ')},`,
    `${parts.map(({ whole }, index) => `(${whole})::text as value_${index},`).join(' ')}`,
    `row_number() over (partition by ${level} order by ${order}) as position`,
    `from (select p.*, ${wholeKeys.join(', ')}`,
    `from (select ${[...all.map((key) => `${key} as part_of_${key}`), 'count(*) as n', ...parts.flatMap(({ columns }) => columns)].join(', ')}`,
    from,
    `group by ${all.join(', ')}) p) p`,
    `group by grouping sets (${sets.join(', ')})) r`,
    `where position <= case level ${limits.map((limit, index) => `when ${index + 1} then ${limit}`).join(' ')} else 1 end`,
    `order by level, position`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

/** An aggregate of a part of the entities, as columns, and that of the whole from its parts. */
function partSql(aggregate: Aggregate, input: string, index: number) {
  const column = `part_${index}`
  const { function: fn } = aggregate
  if (fn === 'count') return { columns: [], whole: 'coalesce(sum(n), 0)' }
  if (fn === 'average') {
    const sum = aggregateSql({ ...aggregate, function: 'sum' }, input)
    return {
      columns: [`(${sum})::numeric as ${column}`, `count(${input})::numeric as filled_${index}`],
      whole: `sum(${column}) / nullif(sum(filled_${index}), 0)`,
    }
  }
  const columns = [`(${aggregateSql(aggregate, input)})::numeric as ${column}`]
  if (fn === 'filled' || fn === 'empty') return { columns, whole: `coalesce(sum(${column}), 0)` }
  return { columns, whole: `${SQL_FUNCTIONS[fn]}(${column})` }
}

/** The columns of the entity type's table that SQL reads. */
export const columnsRead = (sql: string): string[] => [
  ...new Set([...sql.matchAll(COLUMN)].map(([, name]) => String(name))),
]
/** A column after `ENTITY_ALIAS`. */
const COLUMN = /\bh\.(\w+)/g

/**
 * What the aggregates read of one entity, and the columns that a subquery of the entities has for it. What referenced records have is read
 * where they are joined.
 */
function inputsOf(builder: StatementBuilder, aggregates: readonly Aggregate[], references: FollowedReferences) {
  const read = aggregates.map((aggregate, index) => {
    const record = references.recordOf(aggregate)
    const input = inputSql(builder, aggregate, record)
    const name = `input_${index}`
    return record === ENTITY_ALIAS ? { input } : { input: name, column: `${input} as ${name}` }
  })
  const own = columnsRead(read.map(({ input }) => input).join(' ')).map((name) => `${ENTITY_ALIAS}.${name}`)
  return { sql: read.map(({ input }) => input), columns: [...own, ...read.flatMap(({ column }) => column ?? [])] }
}

/** The columns of the keys of each grouping, the inputs of the aggregates, and the `from` clause with the entities and these columns. */
function keyedEntities(
  builder: StatementBuilder,
  entityType: EntityType,
  condition: Condition,
  { groupings, aggregates, timeZone, isSummed = false }: Groups & { readonly isSummed?: boolean },
) {
  const references = followReferences(builder)
  const sources = groupings.map((grouping, index) =>
    groupSource(builder, grouping, { index, alias: references.recordOf(grouping), timeZone, isSummed }),
  )
  const inputs = inputsOf(builder, aggregates, references)
  const keys = sources.map(({ columns }, index) => columns.map((_, at) => `key_${index}_${at}`))
  const named = sources.flatMap(({ columns }, index) =>
    columns.map((column, at) => `${column} as ${keys[index]?.[at]}`),
  )
  const where = compileCondition(builder, condition, ENTITY_ALIAS)
  const from = entitiesSql(builder, entityType, {
    columns: [...inputs.columns, ...named],
    joins: [...references.joins, ...sources.flatMap(({ join }) => join ?? [])],
    where,
    hasFewKeys: sources.some(({ hasFewKeys }) => hasFewKeys),
  })
  const wholeKeys = sources.flatMap(({ whole }, index) =>
    (keys[index] ?? []).map((key) => `${whole(`part_of_${key}`)} as ${key}`),
  )
  return { keys, wholeKeys, inputs: inputs.sql, from }
}

interface Entities {
  /** Only what is read: PostgreSQL would compute all columns of a subquery that it does not merge. */
  readonly columns: readonly string[]
  readonly joins: readonly string[]
  readonly where: string
  readonly hasFewKeys?: boolean
}

/** The `from` clause with the entities that meet the condition. Of a covering index that lacks long texts, the rows with these are read apart. */
function entitiesSql(
  { model }: StatementBuilder,
  entityType: EntityType,
  { columns, joins, where, hasFewKeys = false }: Entities,
): string {
  const select = [`select ${columns.join(', ')}`, `from ${entityType.table} ${ENTITY_ALIAS}`, ...joins].join('\n')
  const { parts = [] } = describeCoveringIndex(entityType, columnsRead(`${select} ${where}`)) ?? {}
  const isCovered = parts.length > 0 && parts.every(({ index }) => model.indexes.has(index.name))
  const selects = isCovered
    ? parts.map(({ condition }) => `${select}\nwhere ${all([where, condition])}`)
    : [`${select}\nwhere ${where}${hasFewKeys ? ASSUME_FEW_KEYS : ''}`]
  return `from (${selects.join('\nunion all\n')}) ${ENTITY_ALIAS}`
}

function orderOf([first]: Groups['groupings'], keys: readonly (readonly string[])[], count: string): string {
  const all = keys.flat()
  return [...(first.step === undefined ? [] : [`${all[0]} desc nulls first`]), `${count} desc`, ...all].join(', ')
}

/**
 * PostgreSQL takes the number of months for that of different instants, and sorts all rows to group them. It assumes 200 groups for
 * columns of a subquery that it does not merge with the query around it. It reads such a subquery in parallel only if the offset is a constant
 * of the type `bigint`, and not one that it converts.
 */
const ASSUME_FEW_KEYS = "\noffset bigint '0'"

interface Source {
  readonly index: number
  /** The alias of the record with the attribute. */
  readonly alias: string
  readonly timeZone: string
  /** Whether the numbers of groups are the sums of those of their parts, such as those of days of a month. */
  readonly isSummed: boolean
}

/** The columns of the keys of a grouping, and the join that has the values of a multiselect attribute. */
function groupSource(builder: StatementBuilder, grouping: Grouping, { index, alias, timeZone, isSummed }: Source) {
  const { attribute, members, step } = grouping
  const hasFewKeys = step !== undefined
  const whole = (key: string) => key
  const keySql = (accessor: ValueAccessor, member: string) =>
    groupKeySql(builder, grouping, { accessor, member, timeZone })
  if (!attribute.is_multiselect) {
    const accessor = singleValueAccessor(attribute, alias)
    const days = members.map((member) => accessor.column(member) ?? 'null')
    // PostgreSQL knows how many days there are, and groups them in parallel.
    if (isSummed && step !== undefined && members.every((member) => accessor.typeOf(member) === 'date'))
      return {
        columns: days,
        join: undefined,
        hasFewKeys: false,
        whole: (day: string) => firstDay(`${day}::timestamp`, step),
      }
    return { columns: members.map((member) => keySql(accessor, member)), join: undefined, hasFewKeys, whole }
  }
  const accessor = elementAccessor(attribute, alias, `e${index}`)
  const elements = members.map((member) => `${keySql(accessor, member)} as ${member}`).join(', ')
  const join = `left join lateral (select distinct ${elements} from ${accessor.from()}) g${index} on true`
  return { columns: members.map((member) => `g${index}.${member}`), join, hasFewKeys, whole }
}

interface Key {
  readonly accessor: ValueAccessor
  readonly member: string
  readonly timeZone: string
}

/** A text, the first day of a period, or the content of the column. */
function groupKeySql(
  builder: StatementBuilder,
  { attribute, isWhole, step }: Grouping,
  { accessor, member, timeZone }: Key,
): string {
  const column = accessor.column(member) ?? 'null'
  if (isWhole) return column
  const sqlType = accessor.typeOf(member)
  if (step !== undefined)
    return sqlType === 'date'
      ? firstDay(`${column}::timestamp`, step)
      : firstLocalDay(column, step, builder.bind(timeZone, 'text'))
  if (sqlType === 'text') return `left(${column}, ${MAX_GROUP_TEXT})`
  const property = attributeType(attribute.type).properties[member]
  const absent = property?.source === 'column' ? property.absentAs : undefined
  return absent === undefined ? column : `coalesce(${column}, ${scalarSql(builder, absent, sqlType)})`
}

const firstDay = (local: string, step: PeriodUnit): string =>
  `${step === 'day' ? local : `date_trunc('${step}', ${local})`}::date`

/** Of these steps, a statement computes the beginnings of all periods between two days once. */
const INTERVALS: Partial<Record<PeriodUnit, string>> = { month: '1 month', quarter: '3 months', year: '1 year' }
const FIRST_DAY = '1990-01-01'
const END = '2050-01-01'

/**
 * The first day of the period of an instant in a time zone. To convert each instant takes half of the time of a statement; the search
 * among the beginnings takes a tenth. Instants beyond them are converted.
 */
function firstLocalDay(instant: string, step: PeriodUnit, timeZone: string): string {
  const converted = firstDay(`(${instant} at time zone ${timeZone})`, step)
  const interval = INTERVALS[step]
  if (interval === undefined) return converted
  const listOf = (item: string, isListed: string) =>
    `(select array_agg(${item} order by day) from generate_series(timestamp '${FIRST_DAY}', timestamp '${END}', interval '${interval}') day where ${isListed})`
  // The last beginning is the end of the last period, which has no day.
  const days = listOf('day::date', `day < '${END}'`)
  const beginnings = listOf(`day at time zone ${timeZone}`, 'true')
  return `coalesce(${days}[width_bucket(${instant}, ${beginnings})], ${converted})`
}
