/** Resolves the tables and columns that a query names, and makes the edits of its text that name them as PostgreSQL needs it. */

import { type Edit, findParts, type SourceText } from '#engine/sql/compile/source-text'
import {
  type Level,
  outputNames,
  type RangeItem,
  type ReferenceWalk,
  resolveColumn,
  findMeaning,
} from './resolve-column'
import {
  eachMembers,
  isMembers,
  itemsOfNode,
  type Members,
  membersOf,
  nameOfNode,
  namesOf,
  nodeOf,
  nodesOf,
  offsetOf,
  textOfNode,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import type { ColumnUsage, SqlTable } from '#engine/sql/compile/tables/tables'
import { type SelectedNanoseconds, selectNanoseconds } from './nanoseconds'
import { findClosest } from '#base/text/find-closest'

export interface ResolvedQuery {
  readonly edits: readonly Edit[]
  readonly tables: readonly SqlTable[]
  readonly usage: ColumnUsage
  /** Undefined where the result has no nanoseconds of timestamps. */
  readonly nanoseconds: SelectedNanoseconds | undefined
}

interface Walk extends ReferenceWalk {
  readonly tables: readonly SqlTable[]
  readonly used: Set<SqlTable>
  /** Whether an alias names the columns of a table. */
  isRenamed: boolean
}

/** What a part of a query can name. */
interface Scope {
  readonly levels: readonly Level[]
  /** The names of common table expressions. */
  readonly ctes: ReadonlySet<string>
}

/** The usage is that without nanoseconds. */
export function resolveSqlQuery(source: SourceText, query: Members, tables: readonly SqlTable[]): ResolvedQuery {
  const conditions = conditionNames(query)
  const names = { names: new Set<string>(), whole: new Set<string>() }
  const usage = { all: false, rows: false, nanoseconds: false, ...names, conditions }
  const found = { edits: [], stars: [], used: new Set<SqlTable>(), isRenamed: false }
  const walk: Walk = { source, tables, usage, outputs: outputNames(query), ...found }
  const level = resolveSelect(walk, query, { levels: [], ctes: new Set() })
  const readsRows = usage.rows || walk.isRenamed
  const nanoseconds = readsRows ? undefined : selectNanoseconds({ query, level, stars: walk.stars })
  return { edits: walk.edits, tables: [...walk.used], usage, nanoseconds }
}

/** The members of a SELECT that are resolved before its expressions. */
const RESOLVED_FIRST: ReadonlySet<string> = new Set(['withClause', 'fromClause', 'larg', 'rarg'])

/** Returns the items of FROM. */
function resolveSelect(walk: Walk, select: Members, outer: Scope): Level {
  const scope = resolveWith(walk, select.withClause, outer)
  for (const side of [select.larg, select.rarg]) if (isMembers(side)) resolveSelect(walk, side, scope)
  const from = itemsOfNode(select.fromClause)
  // ORDER BY of a UNION names columns of its sides.
  const level: RangeItem[] = isMembers(select.larg) ? [{ name: '', schema: null, table: null }] : []
  for (const item of from) addItems(walk, item, { level, ctes: scope.ctes, needsAlias: !isTableCommand(select) })
  const inner: Scope = { levels: [...scope.levels, level], ctes: scope.ctes }
  for (const item of from) resolveFrom(walk, item, { outer: scope, inner })
  for (const [name, member] of Object.entries(select))
    if (!RESOLVED_FIRST.has(name)) resolveExpression(walk, member, inner)
  return level
}

/** `TABLE people`, after which no alias can stand. Its `*` is not in the text. */
function isTableCommand({ targetList }: Members): boolean {
  const target = membersOf(itemsOfNode(targetList)[0], 'ResTarget')
  return target !== undefined && offsetOf(target) === null
}

/** Resolves the common table expressions, and returns the scope with their names. */
function resolveWith(walk: Walk, clause: Tree, outer: Scope): Scope {
  if (!isMembers(clause)) return outer
  const expressions = nodesOf(clause.ctes, 'CommonTableExpr')
  const ctes = new Set(outer.ctes)
  if (clause.recursive === true) for (const { ctename } of expressions) ctes.add(textOfNode(ctename))
  for (const { ctename, ctequery } of expressions) {
    resolveExpression(walk, ctequery, { levels: outer.levels, ctes: new Set(ctes) })
    ctes.add(textOfNode(ctename))
  }
  return { levels: outer.levels, ctes }
}

interface FromClause {
  readonly level: RangeItem[]
  readonly ctes: ReadonlySet<string>
  readonly needsAlias: boolean
}

/** Adds the items that a part of FROM makes. */
function addItems(walk: Walk, tree: Tree, clause: FromClause): void {
  const node = nodeOf(tree)
  if (!node) return
  const { type, members } = node
  if (type === 'RangeVar') clause.level.push(resolveTable(walk, members, clause))
  else if (type === 'JoinExpr') for (const side of [members.larg, members.rarg]) addItems(walk, side, clause)
  for (const alias of [members.alias, members.join_using_alias])
    if (type !== 'RangeVar' && isMembers(alias))
      clause.level.push({ name: textOfNode(alias.aliasname), schema: null, table: null })
  // A subquery without an alias has no name, and its columns are not determined here.
  const isUnnamed = (type === 'RangeFunction' || type === 'RangeSubselect') && !isMembers(members.alias)
  if (isUnnamed) clause.level.push({ name: functionName(members), schema: null, table: null })
}

/** A function without an alias has its own name. */
function functionName({ functions }: Members): string {
  const [first] = itemsOfNode(membersOf(itemsOfNode(functions)[0], 'List')?.items)
  return namesOf(membersOf(first, 'FuncCall')?.funcname).at(-1) ?? ''
}

function resolveTable(walk: Walk, members: Members, { ctes, needsAlias }: FromClause): RangeItem {
  const [schema, name] = [
    members.schemaname === undefined ? null : textOfNode(members.schemaname),
    textOfNode(members.relname),
  ]
  const alias = isMembers(members.alias) ? members.alias : undefined
  const shown = alias ? textOfNode(alias.aliasname) : name
  if (schema === null && ctes.has(name)) return { name: shown, schema: null, table: null }
  const table = findTable(walk, { schema, name, offset: offsetOf(members), ctes })
  if (alias && itemsOfNode(alias.colnames).length > 0) walk.usage.all = walk.isRenamed = true
  walk.used.add(table)
  const parts = findParts(walk.source.bytes, offsetOf(members) ?? 0, schema === null ? 1 : 2)
  const [first, last] = [parts?.[0], parts?.at(-1)]
  if (!first || !last) throw walk.source.refusal('This form of a name is not supported.', offsetOf(members))
  const text = `"${table.cte}"${alias || !needsAlias ? '' : ` as "${name}"`}`
  walk.edits.push({ start: first.start, end: last.end, text })
  // A renamed table has only its columns' old order: with an alias list, `columns` still names them by position.
  const isRenamed = alias !== undefined && itemsOfNode(alias.colnames).length > 0
  return { name: shown, schema: alias ? null : table.schema, table: isRenamed ? null : table }
}

/** Resolves what the parts of FROM contain. Only a lateral subquery sees the other parts. */
function resolveFrom(walk: Walk, tree: Tree, scopes: { readonly outer: Scope; readonly inner: Scope }): void {
  const node = nodeOf(tree)
  if (!node) return
  const { type, members } = node
  if (type === 'RangeSubselect')
    resolveExpression(walk, members.subquery, members.lateral === true ? scopes.inner : scopes.outer)
  if (type === 'RangeFunction') resolveExpression(walk, members.functions, scopes.inner)
  if (type !== 'JoinExpr') return
  for (const side of [members.larg, members.rarg]) resolveFrom(walk, side, scopes)
  resolveExpression(walk, members.quals, scopes.inner)
  if (members.isNatural === true) walk.usage.all = walk.usage.rows = true
  for (const name of namesOf(members.usingClause)) {
    walk.usage.names.add(name ?? '')
    walk.usage.whole.add(name ?? '')
  }
}

const resolveExpression = (walk: Walk, tree: Tree, scope: Scope): void =>
  eachMembers(tree, (members) => {
    for (const [name, member] of Object.entries(members)) {
      if (name === 'SelectStmt' && isMembers(member)) resolveSelect(walk, member, scope)
      else if (name === 'ColumnRef' && isMembers(member)) resolveColumn(walk, member, scope.levels)
      else if (name === 'A_Indirection' && isMembers(member)) resolveIndirection(walk, member, scope)
      else {
        if (name === 'A_Expr' && isMembers(member)) editReferenceTexts(walk, member, scope.levels)
        resolveExpression(walk, member, scope)
      }
    }
  })

/** `(company).entity_instance_id` reads a field of the column, not the whole of it. */
function resolveIndirection(walk: Walk, { arg, indirection }: Members, scope: Scope): void {
  const column = membersOf(arg, 'ColumnRef')
  if (column) resolveColumn(walk, column, scope.levels, nameOfNode(itemsOfNode(indirection)[0]) !== undefined)
  else resolveExpression(walk, arg, scope)
  resolveExpression(walk, indirection, scope)
}

/** The names in the conditions of a query: those after WHERE and ON. */
const CONDITIONS: ReadonlySet<string> = new Set(['whereClause', 'quals'])

function conditionNames(query: Members): ReadonlySet<string> {
  const names = new Set<string>()
  addNames(names, query, false)
  return names
}

const addNames = (names: Set<string>, tree: Tree, isCondition: boolean): void =>
  eachMembers(tree, (members) => {
    const column = isCondition ? membersOf(members, 'ColumnRef') : undefined
    for (const name of namesOf(column?.fields)) if (name !== undefined) names.add(name)
    for (const [name, member] of Object.entries(members)) addNames(names, member, isCondition || CONDITIONS.has(name))
  })

/** Finds the table that a query names. A name without a schema is that of an object. */
interface TableName {
  readonly schema: string | null
  readonly name: string
  readonly offset: number | null
  /** The names of the common table expressions in scope. */
  readonly ctes: ReadonlySet<string>
}

interface Tables {
  readonly source: SourceText
  readonly tables: readonly SqlTable[]
}

/** Throws PostgreSQL's message for a table that does not exist or that the caller may not read. */
function findTable({ source, tables }: Tables, { schema, name, offset, ctes }: TableName): SqlTable {
  const found = tables.find((table) => table.name === name && table.schema === (schema ?? 'objects'))
  if (found) return found
  const wanted = schema === null ? name : `${schema}.${name}`
  const closest = tables.find((table) => table.name === name) ?? closestOf(tables, schema, name)
  const word = typeof closest === 'string' || closest === undefined ? closest : shownName(closest)
  const nearest = word ?? findClosest(name, ctes)
  throw source.refusal(
    `relation "${wanted}" does not exist`,
    offset,
    nearest === undefined ? null : `Perhaps you meant "${nearest}".`,
  )
}

function closestOf(tables: readonly SqlTable[], schema: string | null, name: string): string | undefined {
  const inSchema = tables.filter((table) => schema === null || table.schema === schema)
  const slug = findClosest(
    name,
    inSchema.map((table) => table.name),
  )
  const table = inSchema.find((each) => each.name === slug)
  return table && shownName(table)
}

const shownName = ({ schema, name }: SqlTable): string => (schema === 'objects' ? name : `${schema}.${name}`)

// Ids of references where the public API has texts: a comparison of one with `record_id::text` compares the ids, so that it uses the index
// of the reference, and operators of texts get the id as text. See docs/decisions/sql.md.

/** The types of a column, as far as these comparisons need them. */
type Operand = 'id' | 'reference' | 'text'

const TEXT_KINDS: ReadonlySet<Tree> = new Set(['AEXPR_LIKE', 'AEXPR_ILIKE', 'AEXPR_SIMILAR'])
const TEXT_OPERATORS: ReadonlySet<string | undefined> = new Set(['||', '~', '~*', '!~', '!~*', '^@'])
const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '<>', '!='])

/** Makes the edits of one operator: `members` are those of an `A_Expr`. */
function editReferenceTexts(walk: ReferenceWalk, members: Members, levels: readonly Level[]): void {
  const { kind, lexpr, rexpr } = members
  const [operator] = namesOf(members.name)
  const sides = [lexpr, rexpr] as const
  if (TEXT_KINDS.has(kind) || (kind === 'AEXPR_OP' && TEXT_OPERATORS.has(operator))) {
    for (const side of sides) if (operandOf(side, levels) === 'reference') addCast(walk, side)
    return
  }
  if (kind !== 'AEXPR_OP' || !COMPARISONS.has(operator)) return
  for (const [side, other] of [sides, [rexpr, lexpr] as const]) {
    if (operandOf(side, levels) !== 'reference') continue
    const cast = membersOf(other, 'TypeCast')
    const castOperand = cast && isText(cast) ? operandOf(cast.arg, levels) : undefined
    if (cast && (castOperand === 'id' || castOperand === 'reference')) removeCast(walk, cast)
    else if (operandOf(other, levels) === 'text') addCast(walk, side)
  }
}

/** Undefined for what is no column, and for columns of other types. */
function operandOf(tree: Tree, levels: readonly Level[]): Operand | undefined {
  const reference = membersOf(tree, 'ColumnRef')
  if (!reference) return undefined
  const names = namesOf(reference.fields)
  const column = names.length === 1 ? columnNamed(levels, names[0]) : columnMeant(levels, names)
  if (column === undefined || column.type.isArray) return undefined
  const { name } = column.type
  if (names.at(-1) === undefined) return undefined
  if (!column.hasField) return name === 'uuid' ? 'id' : name === 'text' ? 'text' : undefined
  return name === 'record_reference' ? 'reference' : undefined
}

function columnNamed(levels: readonly Level[], name: string | undefined) {
  const items = levels.at(-1) ?? []
  if (name === undefined || items.some(({ table }) => table === null)) return undefined
  const [type, ...others] = items.flatMap(({ table }) => table?.columns.get(name) ?? [])
  return type === undefined || others.length > 0 ? undefined : { type, hasField: false }
}

function columnMeant(levels: readonly Level[], names: readonly (string | undefined)[]) {
  const meaning = findMeaning(levels, names)
  if (meaning === undefined) return undefined
  const type = meaning.item?.table?.columns.get(names[meaning.columnParts - 1] ?? '')
  return type && { type, hasField: names.length > meaning.columnParts }
}

function isText({ typeName }: Members): boolean {
  const names = isMembers(typeName) ? namesOf(typeName.names) : []
  const hasBounds = isMembers(typeName) && itemsOfNode(typeName.arrayBounds).length > 0
  return names.length === 1 && names[0] === 'text' && !hasBounds
}

function addCast({ source, edits }: ReferenceWalk, tree: Tree): void {
  const reference = membersOf(tree, 'ColumnRef')
  if (!reference) return
  const last = findParts(source.bytes, offsetOf(reference) ?? 0, itemsOfNode(reference.fields).length)?.at(-1)
  if (last) edits.push({ start: last.end, end: last.end, text: '::text' })
}

const COLON = ':'.charCodeAt(0)

/** Only of the form `x::text`. The form `cast(x as text)` stays, and PostgreSQL refuses the comparison. */
function removeCast({ source, edits }: ReferenceWalk, cast: Members): void {
  const start = offsetOf(cast)
  const type = isMembers(cast.typeName) ? offsetOf(cast.typeName) : null
  if (start === null || type === null || source.bytes[start] !== COLON) return
  const [part] = findParts(source.bytes, type, 1) ?? []
  if (part) edits.push({ start, end: part.end, text: '' })
}
