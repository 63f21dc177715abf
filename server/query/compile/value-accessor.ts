/** Where the members of a value are found in SQL: in columns, or in one element of parallel arrays. */

import { columnsOf, type ValueColumn } from '../../attribute-types/definition/columns'
import type { SqlType } from '../../attribute-types/define'
import type { Attribute } from '../../data-model/model'
import { activeFromSql, provenanceSql } from '../../storage/provenance'

export interface ValueAccessor {
  /** SQL of a member; null where entities have no such column and the member has no value. */
  column(member: string): string | null
  typeOf(member: string): SqlType
  /** All members that have columns. */
  readonly members: readonly string[]
  /** SQL of the instant since when the value has been the current one; null without a value. */
  since(): string
}

/** The only value of an attribute that is not multiselect; the entity is called `alias`. */
export function singleValueAccessor(attribute: Attribute, alias: string): ValueAccessor {
  const columns = columnsByMember(attribute)
  return {
    column: (member) => {
      const name = columns.get(member)
      return name === undefined ? null : `${alias}.${name}`
    },
    typeOf: (member) => typeOf(attribute, member),
    members: [...columns.keys()],
    since() {
      const [first = ''] = columns.values()
      return `case when ${alias}.${first} is not null then ${sinceSql(attribute, alias, '0')} end`
    },
  }
}

/** The first value of an attribute, multiselect or not. */
export function firstValueAccessor(attribute: Attribute, alias: string): ValueAccessor {
  const accessor = singleValueAccessor(attribute, alias)
  if (!attribute.is_multiselect) return accessor
  return {
    ...accessor,
    column: (member) => {
      const column = accessor.column(member)
      return column === null ? null : `${column}[1]`
    },
  }
}

/** One value of a multiselect, as an element of the arrays that `from` unfolds. */
export interface ElementAccessor extends ValueAccessor {
  /** For `from`: has every member that was asked for until then. */
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
      // Unfolded by any member, a value is there once.
      const members = used.size > 0 ? [...used] : [...columns.keys()].slice(0, 1)
      const arrays = members.map((member) => `${alias}.${columns.get(member)}`)
      return `unnest(${arrays.join(', ')}) with ordinality as ${element}(${[...members, 'nth'].join(', ')})`
    },
  }
}

/** Column names, without members that have none. */
function columnsByMember(attribute: Attribute): ReadonlyMap<string, string> {
  const named = columnsOf(attribute).filter((column): column is ValueColumn & { name: string } => column.name !== null)
  return new Map(named.map(({ member, name }) => [member, name]))
}

/** The entity's own `id` is a uuid, though it is read as text. */
function typeOf(attribute: Attribute, member: string): SqlType {
  const column = columnsOf(attribute).find((each) => each.member === member)
  if (!column) throw new Error(`Attribute ${attribute.id} has no member ${member}.`)
  if (column.name === 'id') return 'uuid'
  return column.sqlType.replace('[]', '') as SqlType // every type of a ValueColumn is a SqlType or an array of one
}

const sinceSql = ({ number }: Attribute, alias: string, index: string): string =>
  activeFromSql(provenanceSql(`${alias}.provenance`, number, index), `${alias}.created_at`)
