/**
 * Compiles the SQL of a caller to the statement that PostgreSQL runs: the caller's text after common table expressions that
 * are its tables. See docs/decisions/sql.md.
 */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { checkExpandedSize } from './check/expanded-size'
import { checkTree } from './check/check-tree'
import {
  applyEdits,
  createSourceText,
  type Edit,
  type EditedText,
  skipSpace,
  type SourceText,
  SqlRefused,
} from './source-text'
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
} from './parse/parse-text'
import { type ResolvedQuery, resolveSqlQuery } from './resolve/resolve-query'
import { createStatementParameters } from './tables/column-sql'
import { type SqlScope, tablesOf } from './tables/tables'
import { FIELDS, NAMED_RESULTS, ROW_FUNCTIONS } from './check/names'
import { createLru } from '#base/caching/caching'

export interface CompiledSql {
  /** To mean to PostgreSQL what it means to the parser, it must run with `standard_conforming_strings` on, and in UTF-8. */
  readonly text: string
  /** They come after the caller's parameters. */
  readonly parameters: readonly unknown[]
  /** The objects and lists that the text reads. */
  readonly entityTypes: readonly EntityType[]
  /** The positions of the timestamps whose nanoseconds are the first columns of the result. Undefined where it has no nanoseconds. */
  readonly timestamps?: readonly number[] | undefined
  /** Maps a position in `text` to one in the caller's text, both in characters from 1. Null when it lies in the service's part. */
  toCallerPosition(position: number): number | null
}

const MAX_CACHED_BYTES = 8 * 1024 * 1024
/** A compiled query takes about as much beside its texts. */
const BYTES_BESIDE_TEXTS = 4000

/** With the numbers of its entity types: these refer to the data model, which is to be forgotten with its version. */
type CachedSql = Omit<Compiled, 'entityTypes'> & { readonly typeNumbers: readonly number[] }

const cache = createSizedCache<CachedSql>(MAX_CACHED_BYTES)
const modelNumbers = new WeakMap<DataModel, number>()
let models = 0

/**
 * Throws `SqlRefused` for a text that is not one read-only query over the tables of the scope. With `hasNanoseconds`, the result
 * may have columns with the nanoseconds of timestamps.
 */
export function compileSql(scope: SqlScope, text: string, parameterCount: number, hasNanoseconds = false): CompiledSql {
  const key = `${cacheKey(scope, text, parameterCount)} ${hasNanoseconds}`
  const cached = cache.get(key)
  if (cached) return withEntityTypes(cached, scope)
  const { entityTypes, ...compiled } = compile(scope, text, { parameterCount, hasNanoseconds })
  const characters = [key, compiled.text, ...compiled.parameters].reduce((sum, part) => sum + part.length, 0)
  cache.set(
    key,
    { ...compiled, typeNumbers: entityTypes.map(({ number }) => number) },
    2 * characters + BYTES_BESIDE_TEXTS,
  )
  return { ...compiled, entityTypes }
}

const withEntityTypes = ({ typeNumbers, ...compiled }: CachedSql, { model }: SqlScope): CompiledSql => ({
  ...compiled,
  entityTypes: typeNumbers.flatMap((number) => model.entityTypesByNumber.get(number) ?? []),
})

function cacheKey({ model, entityTypes }: SqlScope, text: string, parameterCount: number): string {
  const modelNumber = modelNumbers.get(model) ?? ++models
  modelNumbers.set(model, modelNumber)
  return `${modelNumber} ${parameterCount} ${entityTypes.map(({ kind, number }) => kind.charAt(0) + number).join()} ${text}`
}

type Compiled = CompiledSql & { readonly parameters: readonly string[] }

interface CompileOptions {
  readonly parameterCount: number
  readonly hasNanoseconds: boolean
}

function compile(scope: SqlScope, text: string, { parameterCount, hasNanoseconds }: CompileOptions): Compiled {
  const parsed = parseCallerText(text)
  const { source, query } = parsed
  checkTree(source, query, parameterCount)
  checkExpandedSize(source, query)
  const { nanoseconds, ...resolved } = resolveSqlQuery(source, query, tablesOf(scope))
  if (!hasNanoseconds || nanoseconds === undefined) return edit(parsed, resolved, parameterCount)
  const { edits, usage } = resolved
  const extended = { ...resolved, edits: [...nanoseconds.edits, ...edits], usage: { ...usage, nanoseconds: true } }
  return { ...edit(parsed, extended, parameterCount), timestamps: nanoseconds.timestamps }
}

function edit(
  parsed: ParsedQuery,
  { edits, tables, usage }: Omit<ResolvedQuery, 'nanoseconds'>,
  parameterCount: number,
): Compiled {
  const { source, start, end } = parsed
  const parameters = createStatementParameters(parameterCount)
  const expressions = tables.map(({ cte, body }) => `"${cte}" as not materialized (${body(usage, parameters)})`)
  const beginning: Edit[] = [{ start: 0, end: start, text: '' }, ...insertExpressions(parsed, expressions.join(', '))]
  const edited = applyEdits(source, end, [...beginning, ...edits])
  checkResult({ edited, ctes: tables.map(({ cte }) => cte), parameterCount })
  return {
    ...edited,
    parameters: parameters.values,
    entityTypes: tables.flatMap(({ entityType }) => entityType ?? []),
  }
}

/** The expressions become the first ones of the query's own WITH, or a WITH before it. */
function insertExpressions({ source, query, start }: ParsedQuery, expressions: string): Edit[] {
  if (expressions === '') return []
  const { withClause } = query
  if (!isMembers(withClause)) return [{ start, end: start, text: `with ${expressions} ` }]
  const afterWith = Number(withClause.location ?? 0) + 'with'.length
  const place = withClause.recursive === true ? skipSpace(source.bytes, afterWith) + 'recursive'.length : afterWith
  return [{ start: place, end: place, text: ` ${expressions},` }]
}

/**
 * Checks the text that is sent, after all edits: one query whose first common table expressions are the service's, and that
 * names no other table than common table expressions in scope.
 */
interface Result {
  readonly edited: EditedText
  /** The names of the service's common table expressions, in their order. */
  readonly ctes: readonly string[]
  readonly parameterCount: number
}

function checkResult({ edited, ctes, parameterCount }: Result): void {
  try {
    checkText(edited.text, ctes, parameterCount)
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    const { message, position, hint } = error
    throw new SqlRefused(message, position === null ? null : edited.toCallerPosition(position), hint)
  }
}

function checkText(text: string, ctes: readonly string[], parameterCount: number): void {
  const { source, query } = parseOneQuery(createSourceText(text))
  const own = itemsOfNode(isMembers(query.withClause) ? query.withClause.ctes : [])
  if (ctes.some((name, index) => textOfNode(membersOf(own[index], 'CommonTableExpr')?.ctename) !== name))
    throw unexpected()
  const rest = own.slice(ctes.length)
  const { withClause, ...members } = query
  const callers: Members =
    rest.length === 0 || !isMembers(withClause) ? members : { ...members, withClause: { ...withClause, ctes: rest } }
  checkTree(source, callers, parameterCount)
  checkReferences(source, callers)
  requireExpressions(callers, new Set(ctes))
}

const requireExpressions = (tree: Tree, outer: ReadonlySet<string>): void =>
  eachMembers(tree, (members) => {
    const table = membersOf(members, 'RangeVar')
    if (table && (table.schemaname !== undefined || !outer.has(textOfNode(table.relname)))) throw unexpected()
    const names = withNames(members.withClause, outer)
    for (const [name, member] of Object.entries(members)) if (name !== 'withClause') requireExpressions(member, names)
  })

/** Checks the expressions of WITH, and returns the names in scope behind it. */
function withNames(clause: Tree, outer: ReadonlySet<string>): ReadonlySet<string> {
  if (!isMembers(clause)) return outer
  const names = new Set(outer)
  const expressions = nodesOf(clause.ctes, 'CommonTableExpr')
  if (clause.recursive === true) for (const { ctename } of expressions) names.add(textOfNode(ctename))
  for (const { ctename, ctequery } of expressions) {
    requireExpressions(ctequery, new Set(names))
    names.add(textOfNode(ctename))
  }
  return names
}

const unexpected = () => new SqlRefused('This form of query is not supported.')

// Checks that no reference to a column is the call of a function. For `a.b`, PostgreSQL calls `b` with the row `a` when `a` has
// no column `b`. The row of a function in FROM can be any value, such as a text; all other rows are records. The check does not
// depend on which of several `a` is meant.

/** The columns of the functions in FROM, by alias. */
type FunctionColumns = Map<string, ReadonlySet<string>[]>

/** `query`: a query in which each reference has at most a table and a column. */
function checkReferences(source: SourceText, query: Members): void {
  const functions: FunctionColumns = new Map()
  forEachNode(query, 'RangeFunction', (members) => addFunction(functions, members))
  forEachNode(query, 'ColumnRef', (members) => {
    const [table = '', column, third] = namesOf(members.fields)
    if (itemsOfNode(members.fields).length > 2 || third !== undefined)
      throw source.refusal('This form of a name is not supported.', offsetOf(members))
    if (column === undefined) return
    const isColumn = (functions.get(table) ?? []).every((columns) => columns.has(column))
    if (!isColumn || ROW_FUNCTIONS.has(column))
      throw source.refusal(`column ${table}.${column} does not exist`, offsetOf(members))
  })
}

/** A function has the columns of its alias; without them, one with its alias as name, or those of its result. */
function addFunction(functions: FunctionColumns, { alias, functions: calls, coldeflist }: Members): void {
  const names = itemsOfNode(calls).flatMap((call) => functionNames(call))
  const aliased = isMembers(alias) ? alias : undefined
  const name = aliased ? textOfNode(aliased.aliasname) : (names[0] ?? '')
  const listed = namesOf(aliased?.colnames).filter((column) => column !== undefined)
  const defined = nodesOf(coldeflist, 'ColumnDef').map(({ colname }) => textOfNode(colname))
  const hasOtherNames = listed.length > 0 || defined.length > 0 || names.some((each) => NAMED_RESULTS.has(each))
  const own = hasOtherNames ? [] : [name]
  const columns = new Set([...FIELDS, ...names, ...listed, ...defined, ...own, 'ordinality'])
  functions.set(name, [...(functions.get(name) ?? []), columns])
}

function functionNames(call: Tree): string[] {
  const [first] = itemsOfNode(membersOf(call, 'List')?.items)
  return namesOf(membersOf(first, 'FuncCall')?.funcname)
    .flatMap((name) => name ?? [])
    .slice(-1)
}

const forEachNode = (tree: Tree, type: string, visitNode: (members: Members) => void): void =>
  eachMembers(tree, (node) => {
    const members = membersOf(node, type)
    if (members) visitNode(members)
    for (const member of Object.values(node)) forEachNode(member, type, visitNode)
  })

/** Caches compiled queries, with a limit on their bytes. The least recently used ones are removed first. */
interface SizedCache<V extends {}> {
  get(key: string): V | undefined
  /** Does not cache a value that takes more than a tenth of the cache. */
  set(key: string, value: V, bytes: number): void
  readonly bytes: number
}

export function createSizedCache<V extends {}>(maxBytes: number): SizedCache<V> {
  const entries = createLru<string, { readonly value: V; readonly bytes: number }>(Infinity)
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key)
      if (bytes > maxBytes / 10) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break
        remove(oldest)
      }
    },
    get bytes() {
      return total
    },
  }
}
