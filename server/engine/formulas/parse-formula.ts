/**
 * Parses formulas: expressions in the language of `/v2/sql` over the attributes of one entity. Nothing of the text becomes SQL unless it
 * was checked here. See docs/decisions/formulas.md.
 */

import { MAX_FORMULA } from '#vocabulary/data-model'
import { createLru } from '#base/caching/caching'
import { attributeType } from '#engine/attribute-types/registry'
import { closestSlug } from '#engine/data-model/access/hidden'
import type { Attribute, EntityType, FormulaPart } from '#engine/data-model/model'
import { checkExpandedSize } from '#engine/sql/compile/check/expanded-size'
import { checkTree } from '#engine/sql/compile/check/check-tree'
import {
  AGGREGATE_FUNCTIONS,
  CLOCK_FUNCTIONS,
  SET_FUNCTIONS,
  VOLATILE_FUNCTIONS,
} from '#engine/sql/compile/check/names'
import {
  eachMembers,
  isMembers,
  itemsOfNode,
  type Members,
  membersOf,
  namesOf,
  nodesOf,
  offsetOf,
  parseCallerText,
  type ParsedQuery,
  parseOneQuery,
  textOfNode,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import {
  createSourceText,
  findParts,
  type Part,
  skipSpace,
  type SourceText,
  SqlRefused,
} from '#engine/sql/compile/source-text'
import { columnTypeOf } from '#engine/sql/compile/tables/column-sql'

/** An attribute that a formula names, in bytes of the formula. */
export interface FormulaReference {
  readonly start: number
  readonly end: number
  readonly attribute: Attribute
  readonly field: string | undefined
  readonly isQuoted: boolean
}

/** A part of a formula that reads the clock, in bytes of the formula. In SQL, it is the clock with `suffix` behind it. */
interface ClockReading {
  readonly start: number
  readonly end: number
  readonly suffix: string
}

export interface ParsedFormula {
  readonly source: SourceText
  /** In the order of the text. */
  readonly references: readonly FormulaReference[]
  readonly clockReadings: readonly ClockReading[]
}

/** Whether the value changes with the time, so that it is not stored. */
export const readsClock = ({ references, clockReadings }: ParsedFormula): boolean =>
  clockReadings.length > 0 || references.some(({ attribute }) => attribute.stored_in === 'function')

/** The parser reads the formula as the expression of a query. The line breaks end comments. */
const BEFORE = 'select (\n'
const AFTER = '\n)'

/** Throws `SqlRefused`, with positions in the formula, for what is not one expression over attributes of the entity type. */
export function parseFormula(entityType: EntityType, text: string): ParsedFormula {
  const source = createSourceText(text)
  if (text.length > MAX_FORMULA) throw source.refusal(`A formula has at most ${MAX_FORMULA} characters.`, null)
  if (text.trim() === '') throw source.refusal('The formula is empty.', null)
  try {
    return { source, ...parseWrapped(entityType, parseCallerText(BEFORE + text + AFTER)) }
  } catch (error) {
    if (!(error instanceof SqlRefused) || error.position === null) throw error
    const position = Math.min(Math.max(error.position - BEFORE.length, 1), [...text].length)
    throw new SqlRefused(error.message, position, error.hint)
  }
}

function parseWrapped(entityType: EntityType, { source, query }: ParsedQuery): Omit<ParsedFormula, 'source'> {
  const expression = expressionOf(query)
  if (expression === undefined) throw source.refusal('A formula is one expression.', null)
  checkTree(source, query, 0)
  checkExpandedSize(source, query)
  const [references, clockReadings]: [FormulaReference[], ClockReading[]] = [[], []]
  visit({ source, entityType, references, clockReadings, growing: 0 }, expression)
  return { references: references.toSorted((one, other) => one.start - other.start), clockReadings }
}

/** The members of a query that is nothing but `select (…)`. */
const QUERY_MEMBERS: ReadonlySet<string> = new Set(['targetList', 'limitOption', 'op'])

function expressionOf(query: Members): Tree {
  const targets = itemsOfNode(query.targetList)
  const target = membersOf(targets[0], 'ResTarget')
  const isOne = targets.length === 1 && target?.name === undefined
  return isOne && Object.keys(query).every((name) => QUERY_MEMBERS.has(name)) ? target?.val : undefined
}

interface Walk {
  /** How many calls make a long text of a short one. */
  growing: number
  readonly source: SourceText
  readonly entityType: EntityType
  readonly references: FormulaReference[]
  readonly clockReadings: ClockReading[]
}

const visit = (walk: Walk, tree: Tree): void =>
  eachMembers(tree, (members) => {
    for (const [type, member] of Object.entries(members)) {
      const rule = RULES[type]
      if (rule !== undefined) eachMembers(member, (node) => rule(walk, node))
      visit(walk, member)
    }
  })

const RULES: Readonly<Record<string, ((walk: Walk, members: Members) => void) | undefined>> = {
  SubLink: ({ source }, members) => {
    throw source.refusal('A formula cannot contain a query.', offsetOf(members))
  },
  SQLValueFunction: (walk, members) => {
    const [keyword] = findParts(walk.source.bytes, offsetOf(members) ?? 0, 1) ?? []
    const name = keyword && walk.source.text.slice(keyword.start, keyword.end).toLowerCase()
    if (keyword !== undefined && name !== undefined) addClockReading(walk, keyword, CLOCK_KEYWORD_SUFFIXES[name] ?? '')
  },
  FuncCall: (walk, members) => {
    const { source } = walk
    const name = namesOf(members.funcname).at(-1) ?? ''
    if (GROWING.has(name) && ++walk.growing > 1)
      throw source.refusal('A formula can call repeat, lpad or rpad once only.', offsetOf(members))
    const reason = refusalOfCall(name, members)
    if (reason !== undefined) throw source.refusal(reason, offsetOf(members))
    if (CLOCK_FUNCTIONS.has(name)) addClockReading(walk, findCall(walk, members), '')
    if (name === 'age' && itemsOfNode(members.args).length === 1) {
      const { argumentsAt } = findCall(walk, members)
      addClockReading(walk, { start: argumentsAt, end: argumentsAt }, '::date::timestamptz, ')
    }
  },
  A_Expr: ({ source }, { lexpr, rexpr }) => {
    for (const side of [lexpr, rexpr]) refuseClockWord(source, side)
  },
  TypeCast: ({ source }, { arg, typeName }) => {
    const name = isMembers(typeName) ? (namesOf(typeName.names).at(-1) ?? '') : ''
    if (/^(?:date|time)/.test(name)) refuseClockWord(source, arg)
  },
  ColumnRef: (walk, members) => {
    walk.references.push(resolveReference(walk, members))
  },
}

const GROWING: ReadonlySet<string> = new Set(['repeat', 'lpad', 'rpad'])

/** The types of the keywords. A precision can follow each of them in parentheses. */
const CLOCK_KEYWORD_SUFFIXES: Readonly<Record<string, string>> = {
  current_date: '::date',
  current_time: '::timetz',
  current_timestamp: '::timestamptz',
  localtime: '::time',
  localtimestamp: '::timestamp',
}

/** Offsets of the formula, which stands behind `BEFORE`. */
function addClockReading({ clockReadings }: Walk, { start, end }: Part, suffix: string): void {
  clockReadings.push({ start: start - BEFORE.length, end: end - BEFORE.length, suffix })
}

/** A call from its name to its first parenthesis and what may follow without arguments: the closing one. */
function findCall({ source }: Walk, members: Members): Part & { readonly argumentsAt: number } {
  const offset = offsetOf(members) ?? 0
  const parts = findParts(source.bytes, offset, itemsOfNode(members.funcname).length)
  const last = parts?.at(-1)
  if (last === undefined) throw source.refusal('This form of a name is not supported.', offset)
  const argumentsAt = skipSpace(source.bytes, last.end) + 1
  return { start: offset, argumentsAt, end: skipSpace(source.bytes, argumentsAt) + 1 }
}

function refusalOfCall(name: string, { over, agg_filter, agg_order, agg_within_group }: Members): string | undefined {
  const isAggregate = AGGREGATE_FUNCTIONS.has(name) || over !== undefined || agg_filter !== undefined
  if (isAggregate || agg_order !== undefined || agg_within_group === true)
    return `${name} needs several records; a formula has the attributes of one.`
  if (SET_FUNCTIONS.has(name)) return `${name} returns several rows; a formula has one value.`
  if (VOLATILE_FUNCTIONS.has(name)) return `${name} has another result at each call.`
  return undefined
}

/** The words that PostgreSQL reads as the present time where a date is expected. */
const CLOCK_WORD = /^\s*(?:now|today|tomorrow|yesterday)\s*$/i

function refuseClockWord(source: SourceText, tree: Tree): void {
  const constant = membersOf(tree, 'A_Const')
  const text = constant?.sval
  if (constant !== undefined && isMembers(text) && CLOCK_WORD.test(textOfNode(text.sval)))
    throw source.refusal('A formula reads the clock with current_date or now().', offsetOf(constant))
}

/** Whether a formula can name the attribute: references and actors are no scalars. */
const isNameable = ({ type, stored_in, is_archived }: Attribute): boolean =>
  !is_archived && stored_in !== 'partner' && !['reference', 'actor'].includes(attributeType(type).sql.form)

const nameableAttributes = ({ attributes }: EntityType): Attribute[] => attributes.filter(isNameable)

function resolveReference({ source, entityType }: Walk, members: Members): FormulaReference {
  const offset = offsetOf(members)
  const names = namesOf(members.fields)
  const [slug, field] = names
  const parts = findParts(source.bytes, offset ?? 0, names.length)
  const [first, last] = [parts?.[0], parts?.at(-1)]
  if (slug === undefined || names.includes(undefined) || names.length > 2 || !first || !last)
    throw source.refusal('This form of a name is not supported.', offset)
  const attribute = nameableAttributes(entityType).find(({ api_slug }) => api_slug === slug)
  if (attribute === undefined) throw unknownAttribute(source, entityType, slug, offset)
  requireField(source, attribute, field, offset)
  // Offsets of the formula, which stands behind `BEFORE`.
  const [start, end] = [first.start - BEFORE.length, last.end - BEFORE.length]
  return { start, end, attribute, field, isQuoted: source.bytes[first.start] === '"'.charCodeAt(0) }
}

function unknownAttribute(source: SourceText, entityType: EntityType, slug: string, offset: number | null): SqlRefused {
  const other = entityType.attributes.find(({ api_slug, is_archived }) => api_slug === slug && !is_archived)
  if (other !== undefined)
    return source.refusal(`A formula cannot name "${slug}", which is an attribute of type ${other.type}.`, offset)
  const closest = closestSlug(slug, nameableAttributes(entityType))
  return source.refusal(`column "${slug}" does not exist`, offset, closest ? `Perhaps you meant "${closest}".` : null)
}

/** The fields of an attribute that a formula can read: all but actors. */
export function fieldsOf(attribute: Attribute): readonly string[] | null {
  const { sql } = attributeType(attribute.type)
  return sql.form === 'struct'
    ? sql.fields.flatMap(({ name, actor }) => (actor ? [] : [name]))
    : columnTypeOf(attribute).fields
}

function requireField(
  source: SourceText,
  attribute: Attribute,
  field: string | undefined,
  offset: number | null,
): void {
  const fields = fieldsOf(attribute) ?? []
  const { sql } = attributeType(attribute.type)
  const hasActor = sql.form === 'struct' && sql.fields.some(({ actor }) => actor === true)
  if (field === undefined ? !hasActor : fields.includes(field)) return
  const message =
    field === undefined
      ? `Name a field of "${attribute.api_slug}".`
      : `field "${field}" of column "${attribute.api_slug}" does not exist`
  throw source.refusal(message, offset, fields.length === 0 ? null : `Its fields are ${fields.join(', ')}.`)
}

// The form in which a formula is stored: with the ids of its attributes, because slugs change.

export function partsOf({ source, references }: ParsedFormula): FormulaPart[] {
  const parts: FormulaPart[] = []
  let offset = 0
  const addText = (end: number) => {
    if (end > offset) parts.push(decoder.decode(source.bytes.subarray(offset, end)))
  }
  for (const { start, end, attribute, field, isQuoted } of references) {
    addText(start)
    parts.push({
      attribute: attribute.id,
      ...(field !== undefined && { field }),
      ...(isQuoted && { is_quoted: true as const }),
    })
    offset = end
  }
  addText(source.bytes.length)
  return parts
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of a stored formula, with the present slugs. */
export const formulaText = ({ attributes }: EntityType, parts: readonly FormulaPart[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part
      const { api_slug = 'deleted' } = attributes.find(({ id }) => id === part.attribute) ?? {}
      const name = part.is_quoted === true || needsQuotes(api_slug) ? `"${api_slug}"` : api_slug
      return part.field === undefined ? name : `${name}.${part.field}`
    })
    .join('')

const quoted = createLru<string, boolean>(5_000)

/** Whether a slug is no name without quotes, such as `order` and `net-value`. */
function needsQuotes(slug: string): boolean {
  const cached = quoted.get(slug)
  if (cached !== undefined) return cached
  const needed = !isPlainName(slug)
  quoted.set(slug, needed)
  return needed
}

function isPlainName(slug: string): boolean {
  if (!/^[a-z_][a-z0-9_]*$/.test(slug)) return false
  try {
    const { query } = parseOneQuery(createSourceText(`select (${slug})`))
    return (
      nodesOf(
        nodesOf(query.targetList, 'ResTarget').map(({ val }) => val),
        'ColumnRef',
      ).length === 1
    )
  } catch (error) {
    if (error instanceof SqlRefused) return false
    throw error
  }
}
