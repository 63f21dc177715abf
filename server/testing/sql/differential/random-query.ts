/** Random queries over tables of the workspace. Their order is total where it matters, so that equal data has one answer. */

import type { Random } from '../../../../e2e/bench/data/random'
import { dotted } from './dialects'
import { isStruct, MEMBERS, type Scalar, type Table } from './kinds'
import { expression, type Scope, type ScopedColumn } from './random-expression'

const SCALARS: readonly [Scalar, ...Scalar[]] = ['text', 'numeric', 'boolean', 'date', 'timestamptz', 'uuid']
const ORDERED: readonly [Scalar, ...Scalar[]] = ['text', 'numeric', 'date', 'timestamptz']

/** A table with its name in `from` and its columns as expressions name them. */
interface Source {
  readonly from: string
  readonly id: string
  readonly scope: Scope
}

export type Tables = readonly [Table, ...Table[]]

export function randomQuery(random: Random, tables: Tables): string {
  const make = random.one(SHAPES)
  const query = make(random, tables)
  const wrap = random.below(12)
  if (wrap === 0) return `with q as (${query})\nselect * from q -- the end`
  if (wrap === 1) return `select count(*) as n, min(to_json(q)::text) as least from (${query}) q`
  if (wrap === 2) return `with q as materialized (${query}), r as (select * from q) select to_jsonb(r) as j from r;`
  return query
}

/** Returns a source with an alias or without one, whose columns are qualified or not. */
function source(random: Random, table: Table, alias?: string): Source {
  const isAmong = table.schema === 'objects' && random.below(2) === 0
  const name = isAmong ? table.name : `${table.schema}.${table.name}`
  const qualifiers = alias === undefined ? [name, table.name, ''] : [alias]
  const scope = table.columns.map((column) => ({
    ...column,
    text: qualified(random.one(asOneOrMore(qualifiers)), column.name),
  }))
  const from = alias === undefined ? name : `${name} ${random.below(2) === 0 ? 'as ' : ''}${alias}`
  const id = scope.find(({ kind, name: of }) => kind === 'uuid' && of.endsWith('_id'))?.text ?? 'null'
  return { from, id, scope }
}

const qualified = (qualifier: string, name: string) => (qualifier === '' ? name : `${qualifier}.${name}`)
const asOneOrMore = <T>(items: readonly T[]): readonly [T, ...T[]] => items as readonly [T, ...T[]] // they are never none

const aliased = (random: Random) => (random.below(2) === 0 ? undefined : 't')
const targets = (random: Random, scope: Scope, count: number): string =>
  Array.from({ length: count }, (_, n) => `${expression(random, random.one(SCALARS), scope)} as e${n}`).join(', ')

type Shape = (random: Random, tables: Tables) => string

const filtered: Shape = (random, tables) => {
  const { from, id, scope } = source(random, random.one(tables), aliased(random))
  const limit = random.below(2) === 0 ? '' : ` limit ${random.below(20)} offset ${random.below(5)}`
  const order = `order by ${expression(random, random.one(ORDERED), scope, 1)} is null${random.one([' desc', '', ' nulls first'])}, ${id}`
  const shown = random.below(4) === 0 ? '*' : `${targets(random, scope, 3)}, ${id} as id`
  return `select ${shown} from ${from} where ${expression(random, 'boolean', scope, 3)} ${order}${limit}`
}

/** Joins a table to one of its references. */
const joined: Shape = (random, tables) => {
  const left = source(random, random.one(tables), 'l')
  const right = source(random, random.one(tables), 'r')
  const references = left.scope.filter(({ kind, isArray }) => kind === 'record_reference' && !isArray)
  const on = references.map(({ text }) => `${dotted(text, 'entity_instance_id')} = ${right.id}`)
  const kind = random.one(['join', 'left join', 'right join', 'full join'])
  const scope = [...left.scope, ...right.scope]
  const where = kind === 'full join' ? '' : ` where ${expression(random, 'boolean', scope)}`
  return `select ${left.id} as l, ${right.id} as r, ${targets(random, scope, 2)} from ${left.from} ${kind} ${right.from} on ${on.length === 0 ? `${left.id} = ${right.id}` : random.one(asOneOrMore(on))}${where}`
}

const grouped: Shape = (random, tables) => {
  const { from, id, scope } = source(random, random.one(tables), aliased(random))
  const keys = [0, 1].map(() => expression(random, random.one(SCALARS), scope, 1))
  const aggregates = [
    'count(*)',
    `sum(${expression(random, 'numeric', scope, 1)})`,
    `max(${expression(random, random.one(ORDERED), scope, 1)})`,
    `count(distinct ${expression(random, 'text', scope, 1)})`,
    `string_agg(${expression(random, 'text', scope, 1)}, ',' order by ${id}) filter (where ${expression(random, 'boolean', scope, 1)})`,
    `avg(${expression(random, 'numeric', scope, 1)})`,
    `array_agg(${expression(random, random.one(SCALARS), scope, 1)} order by ${id})`,
  ].map((aggregate, n) => `${aggregate} as a${n}`)
  const by = random.one(['group by 1, 2', 'group by rollup (1, 2)', 'group by grouping sets ((1), (2), ())'])
  return `select ${keys[0]} as k0, ${keys[1]} as k1, ${aggregates.join(', ')} from ${from} ${random.below(3) === 0 ? by : 'group by 1, 2'} having count(*) > ${random.below(3)}`
}

/** Unnests an array: of the table's own column, or in a subquery. */
const unnested: Shape = (random, tables) => {
  const { from, id, scope } = source(random, random.one(tables), 't')
  const arrays = scope.filter(({ isArray }) => isArray)
  const array = arrays.length === 0 ? undefined : random.one(asOneOrMore(arrays))
  if (array === undefined) return filtered(random, tables)
  const element: ScopedColumn[] = isStruct(array.kind)
    ? Object.entries(MEMBERS[array.kind]).map(([name, kind]) => ({ name, kind, isArray: false, text: `u.${name}` }))
    : [{ ...array, text: 'u.u', isArray: false }]
  const inner = [...scope, ...element]
  const column = isStruct(array.kind) ? 'u' : 'u(u)'
  return random.one<() => string>([
    () => `select ${id} as id, ${targets(random, inner, 2)} from ${from}, unnest(${array.text}) as ${column}`,
    () =>
      `select ${id} as id, ${targets(random, inner, 1)} from ${from} left join lateral unnest(${array.text}) as ${column} on ${expression(random, 'boolean', inner, 1)}`,
    () =>
      `select x.id, count(x.element) as n from (select ${id} as id, unnest(${array.text}) as element from ${from}) x group by x.id`,
    () =>
      `select ${id} as id, array(select to_json(u)::text from unnest(${array.text}) as ${column} order by 1) as us from ${from}`,
    () =>
      `select ${id} as id from ${from} where exists (select from unnest(${array.text}) as ${column} where ${expression(random, 'boolean', element, 1)})`,
  ])()
}

/** Carries columns with members through a common table expression. */
const carried: Shape = (random, tables) => {
  const { from, scope } = source(random, random.one(tables), aliased(random))
  const picked = scope.filter(({ kind }) => kind === 'uuid' || isStruct(kind) || random.below(3) === 0)
  const list = picked.map(({ text, name }) => `${text} as ${name}_of`).join(', ')
  const inner = picked.map((column) => ({ ...column, text: `${random.one(['c.', ''])}${column.name}_of` }))
  return `with c as (select ${list} from ${from} where ${expression(random, 'boolean', scope, 1)}) select ${targets(random, inner, 3)} from c where ${expression(random, 'boolean', inner)}`
}

const windowed: Shape = (random, tables) => {
  const { from, id, scope } = source(random, random.one(tables), aliased(random))
  const by = `partition by ${expression(random, random.one(SCALARS), scope, 1)} order by ${expression(random, random.one(ORDERED), scope, 1)}, ${id}`
  const value = expression(random, 'numeric', scope, 1)
  return `select ${id} as id, row_number() over w as n, sum(${value}) over w as s, lag((${expression(random, 'text', scope, 1)})::text) over w as before, first_value(${value}) over (w rows between 1 preceding and current row) as f from ${from} window w as (${by})`
}

const united: Shape = (random, tables) => {
  const kinds = [random.one(SCALARS), random.one(SCALARS)]
  const part = () => {
    const { from, scope } = source(random, random.one(tables), aliased(random))
    const list = kinds.map((kind, n) => `(${expression(random, kind, scope, 1)})::${kind} as e${n}`)
    return `select ${list.join(', ')} from ${from} where ${expression(random, 'boolean', scope, 1)}`
  }
  const by = random.one(['union', 'union all', 'intersect', 'except', 'except all'])
  return `${part()} ${by} ${part()}${random.below(2) === 0 ? '' : ` union (${part()})`}`
}

/** Correlates a subquery with its table. */
const correlated: Shape = (random, tables) => {
  const outer = source(random, random.one(tables), 'o')
  const inner = source(random, random.one(tables), 'i')
  const references = inner.scope.filter(({ kind, isArray }) => kind === 'record_reference' && !isArray)
  const on =
    references.length === 0
      ? `${inner.id} = ${outer.id}`
      : `${dotted(random.one(asOneOrMore(references)).text, 'entity_instance_id')} = ${outer.id}`
  const where = `${on} and ${expression(random, 'boolean', [...inner.scope, ...outer.scope], 1)}`
  return random.one<() => string>([
    () => `select ${outer.id} as id, (select count(*) from ${inner.from} where ${where}) as n from ${outer.from}`,
    () => `select ${outer.id} as id from ${outer.from} where exists (select 1 from ${inner.from} where ${where})`,
    () =>
      `select ${outer.id} as id, x.* from ${outer.from} left join lateral (select ${targets(random, [...inner.scope, ...outer.scope], 2)} from ${inner.from} where ${where} order by ${inner.id} limit 1) x on true`,
    () =>
      `select ${outer.id} as id from ${outer.from} where ${outer.id} not in (select ${inner.id} from ${inner.from} where ${where})`,
  ])()
}

/** Reads rows and structs as wholes. */
const whole: Shape = (random, tables) => {
  const { from, id, scope } = source(random, random.one(tables), 't')
  const structs = scope.filter(({ kind, isArray }) => isStruct(kind) && !isArray)
  const key = expression(random, 'text', scope, 1)
  const struct = structs.length === 0 ? 't' : random.one(asOneOrMore(structs)).text
  return random.one<() => string>([
    () => `select t from ${from}`,
    () => `select t.* from ${from} where ${expression(random, 'boolean', scope)}`,
    () => `select to_jsonb(t) - 'created_at' as j from ${from}`,
    () => `select ${id} as id, (${struct}).* from ${from}`,
    () => `select ${struct} as s, count(*) as n from ${from} group by ${struct}`,
    () => `select distinct on (${key}) ${id} as id, ${struct} as s from ${from} order by ${key}, ${id}`,
    () => `select row(t.*) is null as r, ${struct} is not null as s, t is null as w from ${from}`,
    () => `select jsonb_build_object('id', ${id}, 's', ${struct}) as j from ${from}`,
    () => `select (x.y).* from (select ${struct} as y from ${from}) x`,
  ])()
}

const SHAPES: readonly [Shape, ...Shape[]] = [
  filtered,
  filtered,
  joined,
  joined,
  grouped,
  unnested,
  unnested,
  carried,
  windowed,
  united,
  correlated,
  whole,
]
