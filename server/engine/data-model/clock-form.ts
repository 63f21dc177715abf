/**
 * Recognizes formulas of the clock that never fail: the days between today and a day, the years since then, and comparisons of the day with today.
 * Statements compute those without a call of a function, and filters compare their day. See docs/decisions/formulas.md.
 */

import { columnsOf, type ValueColumn } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, ClockForm } from './model'

/** With `?` in the place of the attribute, without a cast to a date and with one space for several. */
const FORMS: readonly (readonly [RegExp, ClockForm['kind']])[] = [
  [/^current_date ?- ?\?$/, 'days since'],
  [/^\? ?- ?current_date$/, 'days until'],
  [/^extract ?\( ?year from age ?\( ?\? ?\) ?\)$/, 'years since'],
  [/^date_part ?\( ?'year' ?, ?age ?\( ?\? ?\) ?\)$/, 'years since'],
  [/^\? ?< ?current_date$|^current_date ?> ?\?$/, '<'],
  [/^\? ?<= ?current_date$|^current_date ?>= ?\?$/, '<='],
  [/^\? ?> ?current_date$|^current_date ?< ?\?$/, '>'],
  [/^\? ?>= ?current_date$|^current_date ?<= ?\?$/, '>='],
]

const isComparison = (kind: ClockForm['kind']): boolean => /^[<>]/.test(kind)

/** The form of the formula of a number or checkbox. Undefined for other formulas, and those whose day has no column. `byId` are the attributes of the entity type. */
export function clockFormOf(
  byId: ReadonlyMap<string, Attribute>,
  { type, computed }: Attribute,
): ClockForm | undefined {
  const parts = computed?.formula ?? []
  const text = parts.map((part) => (typeof part === 'string' ? part : '?')).join('')
  const normal = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const plain = normal.replace(/\? ?:: ?date\b/, '?')
  const kind = FORMS.find(([pattern]) => pattern.test(plain))?.[1]
  const named = parts.find((part) => typeof part !== 'string')
  const day = named && byId.get(named.attribute)
  if (kind === undefined || day === undefined) return undefined
  const { results = [], hasAllNumbers = false } = attributeType(type).formula ?? {}
  if (!(isComparison(kind) ? results.includes('boolean') : hasAllNumbers)) return undefined
  const column = columnOf(day, named?.field)
  const isTime = column?.sqlType === 'timestamptz'
  // Without the cast, the difference to a time is no number, and the years since it count its hours.
  if (column?.name == null || !(column.sqlType === 'date' || (isTime && plain !== normal))) return undefined
  return { kind, attribute: day.id, member: column.member, column: column.name, isTime }
}

function columnOf(attribute: Attribute, field: string | undefined): ValueColumn | undefined {
  const { sql } = attributeType(attribute.type)
  const member =
    sql.form === 'struct'
      ? sql.fields.find(({ name }) => name === field)?.column
      : sql.form === 'scalar' && field === undefined
        ? sql.column
        : undefined
  return columnsOf(attribute).find((column) => column.member === member)
}
