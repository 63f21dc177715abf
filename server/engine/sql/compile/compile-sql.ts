/**
 * Compiles the SQL of a caller to the statement that PostgreSQL runs: the caller's text after common table expressions that
 * are its tables. See docs/decisions/0100-sql-by-edits.md.
 */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { checkExpandedSize } from './check/expanded-size'
import { checkResult } from './check/check-result'
import { checkTree } from './check/check-tree'
import { createSizedCache } from './compile-cache'
import { applyEdits, type Edit } from './edits'
import { skipSpace } from './parse/identifiers'
import { type ParsedQuery, parseCallerText } from './parse/parse-text'
import { type ResolvedQuery, resolveQuery } from './resolve/resolve-query'
import { createStatementParameters } from './tables/statement-parameters'
import { type SqlScope, tablesOf } from './tables/tables'
import { isMembers } from './parse/tree'

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

const cache = createSizedCache<CompiledSql>(MAX_CACHED_BYTES)
const modelNumbers = new WeakMap<DataModel, number>()
let models = 0

/**
 * Throws `SqlRefused` for a text that is not one read-only query over the tables of the scope. With `hasNanoseconds`, the result
 * may have columns with the nanoseconds of timestamps.
 */
export function compileSql(scope: SqlScope, text: string, parameterCount: number, hasNanoseconds = false): CompiledSql {
  const key = `${cacheKey(scope, text, parameterCount)} ${hasNanoseconds}`
  const cached = cache.get(key)
  if (cached) return cached
  const compiled = compile(scope, text, { parameterCount, hasNanoseconds })
  const characters = [key, compiled.text, ...compiled.parameters].reduce((sum, part) => sum + part.length, 0)
  cache.set(key, compiled, 2 * characters + BYTES_BESIDE_TEXTS)
  return compiled
}

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
  const { nanoseconds, ...resolved } = resolveQuery(source, query, tablesOf(scope))
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
