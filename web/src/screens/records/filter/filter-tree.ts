/** A filter as a tree of groups and conditions, which the builder edits. `read-filter.ts` and `write-filter.ts` convert it. */

/** An object or a list, and its attribute. */
export type Segment = readonly [string, string]

export interface Condition {
  /** The way to an attribute of another object; its last segment is the attribute of the condition. */
  readonly path?: readonly Segment[]
  /** The slug, or the id in some saved views. */
  readonly attribute: string
  /** The property; null for the default one. */
  readonly field: string | null
  /** An operator of the API, or `ANY_OF`. */
  readonly operator: string
  /** Undefined until the person enters one. */
  readonly operand: unknown
  readonly isNegated: boolean
  /** Whether the filter writes the operand without an operator. Undefined for the usual form of the operand. */
  readonly isShort?: boolean
}

export interface Group {
  readonly join: '$and' | '$or'
  readonly parts: readonly Part[]
  /**
   * The form that the filter was read from, until a person changes the parts: `list` for a list of one, `members` for several
   * attributes in one object.
   */
  readonly form?: 'list' | 'members'
}

export type Part = Condition | Group

/** The position of a part: its index in each group, the outermost first. */
export type Position = readonly number[]

/** One of several records or actors. The API has no operator for it: the filter is an `$or` of conditions with `$eq`. */
export const ANY_OF = '$any'

/** The operator of periods such as `last_30_days`. */
export const RELATIVE = '$relative'

/** Operands that name the person who looks at the table, or the members of the teams of this person. */
export const MINE = { me: 'Me', my_teams: 'My teams' } as const

export const NO_CONDITIONS: Group = { join: '$and', parts: [] }

export const isGroup = (part: Part): part is Group => 'parts' in part

export type Json = Readonly<Record<string, unknown>>

export const isObject = (given: unknown): given is Json =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/** Whether an operand is one of `MINE`. */
export const isMine = (operand: unknown): operand is { readonly $relative: keyof typeof MINE } =>
  isObject(operand) && typeof operand.$relative === 'string' && Object.hasOwn(MINE, operand.$relative)

/** Replaces a part of the tree, adds one behind the last, or removes it. */
export function replacePart(group: Group, [index, ...below]: Position, part: Part | undefined): Group {
  if (index === undefined) return part !== undefined && isGroup(part) ? part : group
  const parts = [...group.parts]
  const child = parts[index]
  if (below.length > 0) {
    if (child === undefined || !isGroup(child)) return group
    parts[index] = replacePart(child, below, part)
    return { ...group, parts }
  }
  parts.splice(index, 1, ...(part === undefined ? [] : [part]))
  const keepsForm = group.form !== undefined && parts.length === group.parts.length
  return keepsForm ? { ...group, parts } : { join: group.join, parts }
}

export function partAt(group: Group, position: Position): Part | undefined {
  let part: Part | undefined = group
  for (const index of position) part = part !== undefined && isGroup(part) ? part.parts[index] : undefined
  return part
}

/** All conditions, those of nested groups included. */
export const conditionsOf = (group: Group): readonly Condition[] =>
  group.parts.flatMap((part) => (isGroup(part) ? conditionsOf(part) : [part]))

/** Whether two conditions differ in nothing but their operands. */
export const isSameComparison = (one: Condition, other: Condition): boolean =>
  isSameTarget(one, other) && one.operator === other.operator && one.isNegated === other.isNegated

export const isSameTarget = (one: Condition, other: Condition): boolean =>
  one.attribute === other.attribute &&
  one.field === other.field &&
  JSON.stringify(one.path) === JSON.stringify(other.path)

export const isComplete = ({ operand }: Condition): boolean =>
  operand !== undefined && operand !== '' && !(Array.isArray(operand) && operand.length === 0)
