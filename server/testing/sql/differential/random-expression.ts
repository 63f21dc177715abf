/** Random expressions of a type over the columns in scope. */

import type { Random } from '../../../../e2e/bench/data/random'
import { dotted } from './dialects'
import { type Column, isStruct, MEMBERS, type Scalar } from './kinds'

/** A column as an expression names it. */
export interface ScopedColumn extends Column {
  readonly text: string
}

export type Scope = readonly ScopedColumn[]

const LITERALS: Readonly<Record<Scalar, readonly [string, ...string[]]>> = {
  text: [`'a'::text`, `'Acme'`, `'Red'`, `'Doing'`, `''`, `'b.com'`, `'é'`, `$$it's$$`, `E'a\\\\'`, `'%'`],
  numeric: ['0', '1', '0.5', '-2', '3.25', '1e3'],
  boolean: ['true', 'not false', 'null::boolean'],
  date: [`date '2024-01-01'`, `'2024-02-29'::date`, `make_date(2023, 12, 31)`],
  timestamptz: [`timestamptz '2024-01-01 12:00:00+00'`, `'2024-02-29T12:00:00.123456Z'::timestamptz`],
  uuid: [`'01890a5d-ac96-474b-bcce-b302099a8057'::uuid`, `null::uuid`],
}

/** Returns an expression of this type. */
export function expression(random: Random, kind: Scalar, scope: Scope, depth = 2): string {
  if (depth === 0 || random.below(3) === 0) return leaf(random, kind, scope)
  const of = (inner: Scalar) => expression(random, inner, scope, depth - 1)
  const forms = FORMS[kind]
  const form = random.below(4) === 0 ? undefined : forms[random.below(forms.length)]
  if (form !== undefined) return form(of, random)
  return random.one<() => string>([
    () => `coalesce(${of(kind)}, ${of(kind)})`,
    () => `case when ${of('boolean')} then ${of(kind)} else ${of(kind)} end`,
    () => `nullif(${of(kind)}, ${of(kind)})`,
    () => `(${of(kind)})`,
  ])()
}

type Form = (of: (kind: Scalar) => string, random: Random) => string

const FORMS: Readonly<Record<Scalar, readonly Form[]>> = {
  text: [
    (of) => `lower(${of('text')})`,
    (of) => `(${of('text')} || ${of('text')})`,
    (of) => `left(${of('text')}, 2)`,
    (of) => `replace(${of('text')}, 'a', /* b */ 'é')`,
    (of) => `(${of('numeric')})::text`,
    (of) => `to_char(${of('date')}, 'YYYY-MM')`,
    (of) => `concat_ws('-', ${of('text')}, ${of('uuid')})`,
    (of) => `split_part(${of('text')}, '.', 1)`,
    (of) => `substring(${of('text')} from 1 for 2)`,
    (of) => `regexp_replace(${of('text')}, '[aé]+', 'x', 'g')`,
  ],
  numeric: [
    (of) => `(${of('numeric')} + ${of('numeric')})`,
    (of) => `(${of('numeric')} * 2 - ${of('numeric')})`,
    (of) => `abs(${of('numeric')})`,
    (of) => `round(${of('numeric')}, 1)`,
    (of) => `length(${of('text')})::numeric`,
    (of) => `extract(year from ${of('date')})`,
    (of) => `greatest(${of('numeric')}, ${of('numeric')})`,
    (of) => `(${of('date')} - ${of('date')})::numeric`,
    (of) => `(${of('numeric')} / 4)`,
  ],
  boolean: [
    (of) => `${of('text')} = ${of('text')}`,
    (of) => `${of('numeric')} < ${of('numeric')}`,
    (of) => `${of('uuid')} <> ${of('uuid')}`,
    (of) => `${of('date')} between ${of('date')} and ${of('date')}`,
    (of) => `(${of('boolean')} and ${of('boolean')})`,
    (of) => `(${of('boolean')} or not ${of('boolean')})`,
    (of, random) => `${of(random.one(['text', 'numeric', 'uuid', 'timestamptz']))} is null`,
    (of) => `${of('text')} in (${of('text')}, ${of('text')})`,
    (of) => `${of('text')} ilike '%' || ${of('text')}`,
    (of) => `${of('text')} ~ '^[a-zA]'`,
    (of) => `${of('timestamptz')} >= ${of('timestamptz')}`,
    (of) => `${of('text')} is distinct from ${of('text')}`,
    (of) => `(${of('boolean')}) is not true`,
    (of) => `(${of('numeric')}, ${of('text')}) > (${of('numeric')}, ${of('text')})`,
  ],
  date: [
    (of) => `(${of('date')} + 1)`,
    (of) => `(${of('timestamptz')} at time zone 'UTC')::date`,
    (of) => `least(${of('date')}, ${of('date')})`,
  ],
  timestamptz: [
    (of) => `date_trunc('day', ${of('timestamptz')}, 'UTC')`,
    (of) => `(${of('timestamptz')} + interval '1 hour')`,
    (of) => `(${of('timestamptz')} - interval '90 minutes')`,
  ],
  uuid: [],
}

function leaf(random: Random, kind: Scalar, scope: Scope): string {
  const found = leavesOf(random, kind, scope)
  const [first, ...rest] = found
  return first === undefined || random.below(6) === 0 ? random.one(LITERALS[kind]) : random.one([first, ...rest])
}

/** Returns the columns, members and elements of this type. */
function leavesOf(random: Random, kind: Scalar, scope: Scope): string[] {
  return scope.flatMap(({ text, kind: own, isArray }) => {
    if (isStruct(own)) {
      const members = Object.entries(MEMBERS[own]).flatMap(([name, type]) => (type === kind ? [name] : []))
      return members.map((name) => (isArray ? `(${text})[1].${name}` : dotted(text, name)))
    }
    if (!isArray) return own === kind ? [text] : []
    const searched = kind === 'boolean' && own === 'text' && random.below(4) === 0 ? [`'b.com' = any(${text})`] : []
    const counted = kind === 'numeric' ? [`cardinality(${text})::numeric`] : []
    return own === kind ? [`${text}[1]`, `(${text})[2]`, `array_to_string(${text}, ',')`] : [...searched, ...counted]
  })
}
