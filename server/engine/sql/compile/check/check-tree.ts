/** Checks that a query contains only what is allowed. Walks every member of every node, so that nothing unknown passes. */

import { CLOCK_KEYWORDS, FIELDS, FUNCTIONS, NODE_TYPES, REFUSED, TYPES } from './names'
import {
  isMembers,
  itemsOfNode,
  type Members,
  membersOf,
  nameOfNode,
  namesOf,
  nodeOf,
  offsetOf,
  textOfNode,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import { type SourceText } from '#engine/sql/compile/source-text'
import { findClosest } from '#base/text/find-closest'

interface Check {
  readonly source: SourceText
  readonly parameterCount: number
}

/** Where the innermost node around a member begins. */
type Offset = number | null

export function checkTree(source: SourceText, query: Members, parameterCount: number): void {
  checkMembers({ source, parameterCount }, 'SelectStmt', query, null)
}

function checkMembers(check: Check, type: string, members: Members, outer: Offset): void {
  const allowed = NODE_TYPES[type]
  if (!allowed || !Object.hasOwn(NODE_TYPES, type)) throw notSupported(check, type, outer)
  const offset = 'location' in members ? (offsetOf(members) ?? outer) : outer
  RULES[type]?.(check, members, offset)
  for (const [name, member] of Object.entries(members)) {
    const kind = Object.hasOwn(allowed, name) ? allowed[name] : name === 'location' ? 'value' : undefined
    if (kind === 'node') checkNode(check, member, offset)
    else if (kind !== undefined && kind !== 'value' && isMembers(member)) checkMembers(check, kind, member, offset)
    else if (kind !== 'value' || isMembers(member) || Array.isArray(member)) throw notSupported(check, name, offset)
  }
}

/** Checks a node or a list of nodes. An empty object is the parser's null. */
function checkNode(check: Check, tree: Tree, offset: Offset): void {
  if (Array.isArray(tree)) {
    for (const item of tree) checkNode(check, item, offset)
    return
  }
  const node = nodeOf(tree)
  if (node) checkMembers(check, node.type, node.members, offset)
  else if (!isMembers(tree) || Object.keys(tree).length > 0) throw notSupported(check, 'expression', offset)
}

const notSupported = ({ source }: Check, name: string, offset: Offset) =>
  source.refusal((Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined) ?? `${name} is not supported.`, offset)

type Rule = (check: Check, members: Members, offset: Offset) => void

const RULES: Readonly<Record<string, Rule | undefined>> = {
  A_Expr: (check, { name }, offset) => requireOperator(check, name, offset),
  SortBy: (check, { useOp }, offset) => requireOperator(check, useOp, offset),
  SubLink(check, { operName, subselect }, offset) {
    requireOperator(check, operName, offset)
    requireSelect(check, subselect, offset)
  },
  CommonTableExpr(check, { ctename, ctequery }, offset) {
    requireSelect(check, ctequery, offset)
    if (/^(?:objects|lists|information_schema)\./.test(textOfNode(ctename)))
      throw check.source.refusal(`A common table expression cannot be named "${textOfNode(ctename)}".`, offset)
  },
  RangeSubselect: (check, { subquery }, offset) => requireSelect(check, subquery, offset),
  RangeVar(check, { inh, relpersistence }, offset) {
    if (inh !== true || relpersistence !== 'p') throw check.source.refusal('ONLY is not supported.', offset)
  },
  RangeFunction(check, { functions }, offset) {
    const calls = itemsOfNode(functions).map((list) => itemsOfNode(membersOf(list, 'List')?.items)[0])
    if (calls.some((call) => membersOf(call, 'FuncCall') === undefined))
      throw check.source.refusal('Only calls of functions can stand in FROM.', offset)
  },
  FuncCall(check, members, offset) {
    const name = catalogName(members.funcname)
    if (name === undefined || !FUNCTIONS.has(name)) throw noFunction(check, members.funcname, offset)
    checkArguments(check.source, name, members)
  },
  TypeName: checkType,
  CollateClause(check, { collname }, offset) {
    if (catalogName(collname) === undefined) throw check.source.refusal('The collation does not exist.', offset)
  },
  SQLValueFunction(check, { op }, offset) {
    if (CLOCK_KEYWORDS.has(textOfNode(op))) return
    throw check.source.refusal(`${textOfNode(op).slice(6).toLowerCase()} is not available.`, offset)
  },
  ParamRef(check, { number }, offset) {
    if (typeof number === 'number' && number >= 1 && number <= check.parameterCount) return
    throw check.source.refusal(`there is no parameter $${Number(number ?? 0)}`, offset)
  },
  A_Indirection(check, { indirection }, offset) {
    for (const name of itemsOfNode(indirection).map(nameOfNode))
      if (name !== undefined) requireField(check, name, offset)
  },
}

/** PostgreSQL calls a function of one argument for `(value).name` when the value has no field of that name. */
function requireField({ source }: Check, name: string, offset: Offset): void {
  if (FIELDS.has(name)) return
  const closest = findClosest(name, FIELDS)
  throw source.refusal(`field "${name}" does not exist`, offset, closest ? `Perhaps you meant "${closest}".` : null)
}

/** The last part of a name that has no schema but `pg_catalog`. */
function catalogName(names: Tree): string | undefined {
  const [first, second, third] = namesOf(names)
  if (second === undefined) return first
  return third === undefined && first === 'pg_catalog' ? second : undefined
}

function requireOperator({ source }: Check, name: Tree, offset: Offset): void {
  if (name === undefined || catalogName(name) !== undefined) return
  throw source.refusal('Operators of other schemas than pg_catalog are not available.', offset)
}

function requireSelect(check: Check, query: Tree, offset: Offset): void {
  if (membersOf(query, 'SelectStmt') === undefined) throw notSupported(check, nodeOf(query)?.type ?? 'query', offset)
}

function noFunction({ source }: Check, names: Tree, offset: Offset) {
  const name = namesOf(names).join('.')
  const closest = findClosest(name, FUNCTIONS)
  return source.refusal(
    `function ${name} is not available`,
    offset,
    closest === undefined ? null : `Perhaps you meant "${closest}".`,
  )
}

const MAX_PADDED = 1000

function checkType({ source }: Check, { names, typmods }: Members, offset: Offset): void {
  const name = catalogName(names)
  if (name === undefined || !TYPES.has(name))
    throw source.refusal(`type "${namesOf(names).join('.')}" is not available`, offset)
  const lengths = itemsOfNode(typmods).map((item) => membersOf(item, 'A_Const')?.ival)
  if (lengths.some((length) => !isMembers(length) || Number(length.ival ?? 0) > MAX_TYPE_LENGTH))
    throw source.refusal(`The length of a type is a number up to ${MAX_TYPE_LENGTH}.`, offset)
  if (name === 'bpchar' && lengths.some((length) => isMembers(length) && Number(length.ival ?? 0) > MAX_PADDED))
    throw source.refusal(`The length of a padded type is at most ${MAX_PADDED}.`, offset)
}

/** Interval types have a bit mask as first length. */
const MAX_TYPE_LENGTH = 100_000

/** Limits the arguments of the functions that make long texts of short ones. */
const MAX_LENGTH = 1000
const MAX_FORMAT = 10_000

/** Functions whose second argument is a length or a number of repetitions. */
const WITH_LENGTH: ReadonlySet<string> = new Set(['repeat', 'lpad', 'rpad'])

function checkArguments(source: SourceText, name: string, call: Members): void {
  const [first, second] = itemsOfNode(call.args)
  if (WITH_LENGTH.has(name) && !isSmallNumber(second))
    throw source.refusal(`The second argument of ${name} must be a number up to ${MAX_LENGTH}.`, offsetOf(call))
  if (name === 'format' && (call.func_variadic === true || !isPlainFormat(first)))
    throw source.refusal(
      'The first argument of format must be a text with %s, %I or %L, without widths.',
      offsetOf(call),
    )
}

function isSmallNumber(tree: Tree): boolean {
  const number = membersOf(tree, 'A_Const')?.ival
  return isMembers(number) && Number(number.ival ?? 0) <= MAX_LENGTH
}

function isPlainFormat(tree: Tree): boolean {
  const text = membersOf(tree, 'A_Const')?.sval
  if (!isMembers(text)) return false
  const format = textOfNode(text.sval)
  return format.length <= MAX_FORMAT && !format.replace(/%(?:\d{1,3}\$)?[sIL%]/g, '').includes('%')
}
