/**
 * Evaluates queries over the JSON of the API, by the rules of the reference. It is slow and shares no code with the service,
 * whose results are compared with it. See docs/reference/query.md.
 */

export interface RecordJson {
  readonly id: { readonly record_id: string }
  readonly created_at: string
  readonly values: Readonly<Record<string, readonly ValueJson[]>>
}

/** A value in the form of the API. Its members depend on its type. */
export type ValueJson = Readonly<Record<string, unknown>> & { readonly attribute_type: string }

/** The records of all objects, by id. */
export type World = ReadonlyMap<string, RecordJson>

export type EvaluatedFilter = Readonly<Record<string, unknown>>

/** The default field of each type that has one. */
const DEFAULT_FIELD: Readonly<Record<string, string>> = {
  text: 'value',
  number: 'value',
  rating: 'value',
  checkbox: 'value',
  date: 'value',
  timestamp: 'value',
  currency: 'currency_value',
  domain: 'domain',
  'email-address': 'email_address',
  'phone-number': 'phone_number',
  'personal-name': 'full_name',
  select: 'option',
  status: 'status',
  'record-reference': 'target_record_id',
}

/** `types` has the type of each attribute, also of those without values. */
export function matches(record: RecordJson, filter: EvaluatedFilter, world: World, types: Types): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === '$and') return filtersOf(value).every((each) => matches(record, each, world, types))
    if (key === '$or') return filtersOf(value).some((each) => matches(record, each, world, types))
    if (key === '$not') return !matches(record, value as EvaluatedFilter, world, types) // generated so
    if (key === 'constraints') return true
    if (key === 'path') return matchesPath(record, value as [string, string][], filter.constraints, world, types) // generated so
    return matchesAttribute(record, key, value, types)
  })
}

export type Types = Readonly<Record<string, string>>

const filtersOf = (value: unknown) => value as readonly EvaluatedFilter[] // generated so

function matchesPath(
  record: RecordJson,
  path: [string, string][],
  constraints: unknown,
  world: World,
  types: Types,
): boolean {
  const [[, slug] = ['', ''], ...rest] = path
  const [next] = rest
  if (!next) return matchesAttribute(record, slug, constraints, types)
  return (record.values[slug] ?? []).some((value) => {
    const target = value.target_object === next[0] ? world.get(String(value.target_record_id)) : undefined
    return target !== undefined && matchesPath(target, rest, constraints, world, types)
  })
}

/** One value must meet the whole constraint. */
function matchesAttribute(record: RecordJson, slug: string, constraint: unknown, types: Types): boolean {
  const type = types[slug] ?? ''
  const values = record.values[slug] ?? []
  if (type === 'checkbox' && values.length === 0)
    return meets({ attribute_type: type, value: false }, constraint, false)
  return values.some((value) => meets(value, constraint, true))
}

function meets(value: ValueJson, constraint: unknown, isThere: boolean): boolean {
  if (!isObject(constraint)) return compare('$eq', memberOf(value, undefined), constraint, value)
  return Object.entries(constraint).every(([key, operand]) => {
    if (key === '$not_empty') return isThere
    if (key.startsWith('$')) return compare(key, memberOf(value, undefined), operand, value)
    const member = memberOf(value, key)
    if (!isObject(operand)) return compare('$eq', member, operand, value)
    return Object.entries(operand).every(([operator, each]) => compare(operator, member, each, value))
  })
}

/** Selects and statuses are compared by title. */
function memberOf(value: ValueJson, field: string | undefined): unknown {
  const name = field ?? DEFAULT_FIELD[value.attribute_type] ?? ''
  const member = value[name]
  return isObject(member) ? member.title : member
}

function compare(operator: string, member: unknown, operand: unknown, value: ValueJson): boolean {
  if (operator === '$not_empty') return member !== null && member !== undefined && member !== ''
  if (operator === '$in') return (operand as unknown[]).some((each) => compare('$eq', member, each, value)) // generated so
  if (member === null || member === undefined) return member === operand
  if (operator === '$eq') return order(member, operand, value) === 0
  if (operator === '$lt') return order(member, operand, value) < 0
  if (operator === '$lte') return order(member, operand, value) <= 0
  if (operator === '$gt') return order(member, operand, value) > 0
  if (operator === '$gte') return order(member, operand, value) >= 0
  const [text, part] = [String(member).toLowerCase(), String(operand).toLowerCase()]
  if (operator === '$contains') return text.includes(part)
  return operator === '$starts_with' ? text.startsWith(part) : text.endsWith(part)
}

/** Operands are generated in the form in which values are read. */
function order(member: unknown, operand: unknown, { attribute_type }: ValueJson): number {
  if (attribute_type === 'currency') return Number(member) - Number(operand)
  if (typeof member === 'number' && typeof operand === 'number') return member - operand
  return member === operand ? 0 : String(member) < String(operand) ? -1 : 1
}

/** Sorts by an attribute of the record, or by one at the end of a path. */
export interface EvaluatedSort {
  readonly attribute?: string
  readonly path?: readonly (readonly [string, string])[]
  readonly direction: 'asc' | 'desc'
  readonly field?: string
}

/** `positions` ranks the titles of selects and statuses. */
export function sorted(
  records: readonly RecordJson[],
  sorts: readonly EvaluatedSort[],
  world: World,
  positions: readonly string[],
): RecordJson[] {
  return [...records].sort((one, other) => {
    for (const sort of sorts) {
      const result = bySort(keyOf(one, sort, world, positions), keyOf(other, sort, world, positions), sort.direction)
      if (result !== 0) return result
    }
    return one.created_at < other.created_at
      ? -1
      : one.created_at > other.created_at
        ? 1
        : one.id.record_id < other.id.record_id
          ? -1
          : 1
  })
}

/** Returns the sort key of the first value: text in lower case, options by their position. Undefined without a value. */
function keyOf(
  record: RecordJson,
  { attribute = '', path = [['', attribute]], field }: EvaluatedSort,
  world: World,
  positions: readonly string[],
): string | number | boolean | undefined {
  const value = firstValueOn(path, record, world)
  if (!value) return undefined
  const member = memberOf(value, field)
  if (member === null || member === undefined) return undefined
  if (value.attribute_type === 'select' || value.attribute_type === 'status') return positions.indexOf(String(member))
  return typeof member === 'string' ? member.toLowerCase() : (member as number | boolean) // members are scalars
}

function firstValueOn(
  path: EvaluatedSort['path'],
  record: RecordJson | undefined,
  world: World,
): ValueJson | undefined {
  const [[, slug] = ['', ''], ...rest] = path ?? []
  const value = record?.values[slug]?.[0]
  return rest.length === 0 ? value : firstValueOn(rest, world.get(String(value?.target_record_id)), world)
}

function bySort(one: ReturnType<typeof keyOf>, other: ReturnType<typeof keyOf>, direction: 'asc' | 'desc'): number {
  if (one === undefined || other === undefined) return (one === undefined ? 1 : 0) - (other === undefined ? 1 : 0)
  if (one === other) return 0
  return one < other === (direction === 'asc') ? -1 : 1
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
