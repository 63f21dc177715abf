/** The SQL of the members of a value: columns, or one element of parallel arrays. */

import { columnsOf, memberSql, type ValueColumn } from '#engine/attribute-types/definition/columns'
import type { SqlType } from '#engine/attribute-types/define'
import type { Attribute } from '#engine/data-model/model'
import { integerSql } from '#engine/indexes/expressions'
import { activeFromSql, provenanceSql } from '#engine/storage/provenance'
import { targetObjectColumn } from '#engine/storage/layout'

export interface ValueAccessor {
  /** The SQL of a member; null when the attribute has no column for it. */
  column(member: string): string | null
  typeOf(member: string): SqlType
  /** All members that have columns. */
  readonly members: readonly string[]
  /** The SQL of the time since which the value is active; null without a value. */
  since(): string
}

/** The value of an attribute that is not multiselect. `alias` is the alias of the entity's row. `clock` is as in `memberSql`. */
export function singleValueAccessor(attribute: Attribute, alias: string, clock?: string): ValueAccessor {
  const { call } = attribute
  const members = columnsOf(attribute).flatMap(({ member, name }) =>
    name === null && call?.member !== member ? [] : [member],
  )
  const column = (member: string): string | null => {
    const sql = memberSql(attribute, member, alias, clock)
    return sql === null || attribute.is_multiselect ? sql : visibleColumn(attribute, alias, sql)
  }
  return {
    column,
    typeOf: (member) => typeOf(attribute, member),
    members,
    since() {
      const [first = ''] = members
      return `case when ${column(first)} is not null then ${sinceSql(attribute, alias, '0')} end`
    },
  }
}

/** The first value of an attribute, multiselect or not. */
export function firstValueAccessor(attribute: Attribute, alias: string, clock?: string): ValueAccessor {
  const accessor = singleValueAccessor(attribute, alias, clock)
  if (!attribute.is_multiselect) return accessor
  return {
    ...accessor,
    column: (member) => {
      const column = accessor.column(member)
      if (column === null) return null
      return attribute.hiddenTargets === undefined ? `${column}[1]` : firstVisible(attribute, alias, column)
    },
  }
}

/** A value of the derived side of a relationship: a record, called `alias`, that refers to the entity. */
export const referringRecordAccessor = (objectNumber: number, alias: string): ValueAccessor => ({
  column: (member) => (member === 'target_record_id' ? `${alias}.id` : integerSql(objectNumber)),
  typeOf: (member) => (member === 'target_record_id' ? 'uuid' : 'int'),
  members: ['target_record_id'],
  since: () => `${alias}.created_at`,
})

/** One value of a multiselect: an element of the arrays that `from` unnests. */
export interface ElementAccessor extends ValueAccessor {
  /** The item of a `from` clause. It has the members whose columns were requested before this call. */
  from(): string
}

export function elementAccessor(attribute: Attribute, alias: string, element: string): ElementAccessor {
  const columns = columnsByMember(attribute)
  const used = new Set<string>()
  return {
    column(member) {
      if (!columns.has(member)) return null
      used.add(member)
      return `${element}.${member}`
    },
    typeOf: (member) => typeOf(attribute, member),
    members: [...columns.keys()],
    since: () => sinceSql(attribute, alias, `(${element}.nth::int - 1)`),
    from() {
      // Any one member yields each value once.
      const members = used.size > 0 ? [...used] : [...columns.keys()].slice(0, 1)
      const arrays = members.map((member) => `${alias}.${columns.get(member)}`)
      const names = [...members, 'nth'].join(', ')
      const elements = `unnest(${arrays.join(', ')}) with ordinality`
      if (attribute.hiddenTargets === undefined) return `${elements} as ${element}(${names})`
      const visible = isVisibleTarget(attribute, 'e.hidden_object')
      const all = `unnest(${[...arrays, `${alias}.${targetObjectColumn(attribute)}`].join(', ')}) with ordinality`
      const shown = `select ${names} from ${all} as e(${[...members, 'hidden_object', 'nth'].join(', ')}) where ${visible}`
      return `(${shown}) as ${element}`
    },
  }
}

/** The SQL that holds for a reference to a record of an object that is not hidden. `object` is the SQL of its number. */
const isVisibleTarget = ({ hiddenTargets = [] }: Attribute, object: string): string =>
  `${object} not in (${hiddenTargets.map(({ number }) => integerSql(number)).join(', ')})`

/** The SQL of a column that is null for a reference to a hidden record. */
const visibleColumn = (attribute: Attribute, alias: string, column: string): string =>
  attribute.hiddenTargets === undefined
    ? column
    : `case when ${isVisibleTarget(attribute, `${alias}.${targetObjectColumn(attribute)}`)} then ${column} end`

/** The SQL of the first item of an array column that does not belong to a reference to a hidden record. */
export function firstVisible(attribute: Attribute, alias: string, column: string): string {
  const from = `unnest(${column}, ${alias}.${targetObjectColumn(attribute)}) with ordinality as e(item, object, nth)`
  return `(select e.item from ${from} where ${isVisibleTarget(attribute, 'e.object')} order by e.nth limit 1)`
}

/** The names of the columns of those members that have one. */
function columnsByMember(attribute: Attribute): ReadonlyMap<string, string> {
  const named = columnsOf(attribute).filter((column): column is ValueColumn & { name: string } => column.name !== null)
  return new Map(named.map(({ member, name }) => [member, name]))
}

/** The type of the column `id` is uuid, although its values are read as text. */
function typeOf(attribute: Attribute, member: string): SqlType {
  const column = columnsOf(attribute).find((each) => each.member === member)
  if (!column) throw new Error(`Attribute ${attribute.id} has no member ${member}.`)
  if (column.name === 'id') return 'uuid'
  return column.sqlType.replace('[]', '') as SqlType // the type of a ValueColumn is a SqlType or an array of one
}

const sinceSql = ({ number }: Attribute, alias: string, index: string): string =>
  activeFromSql(provenanceSql(`${alias}.provenance`, number, index), `${alias}.created_at`)
