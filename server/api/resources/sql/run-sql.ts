/** Runs a query of a caller. See docs/reference/sql.md. */

import type { ApiContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { rateLimited } from '#base/errors/http'
import { sqlNotAvailable } from '#base/errors/queries'
import { JsonText } from '#api/http/response/answer'
import { JsonStream } from '#api/http/response/export-stream'
import { parameterText, type RoleStatement } from '#engine/sql/run/statement'
import {
  explainAsRows,
  type JsonRows,
  queryRows,
  type RowFormat,
  streamPlan,
  streamRows,
} from '#engine/sql/run/query-rows'
import type { SqlRunner } from '#engine/sql/run/sql-runner'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import Negotiator from 'negotiator'
import { csvLines } from '#base/text/csv-line'

interface SqlRequest {
  readonly sql: string
  readonly parameters?: readonly unknown[]
  readonly explain?: 'true' | 'false' | 'analyze'
  readonly raw?: 'true' | 'false'
  readonly accept: string | null
  /** The most rows of an answer in JSON; 10,000 by default. */
  readonly maxRows?: number
}

interface CompiledRequest extends SqlRequest {
  /** The objects and lists that the text reads. */
  readonly entityTypes: readonly EntityType[]
  readonly queryScore: number
}

const RETRY_AFTER_MS = 60_000

/** Throws 429 over the limit of the workspace, 403 for a list without its scopes, 400 for the text, and 503 when SQL is off. */
export async function runSql(context: ApiContext, request: SqlRequest): Promise<JsonText | JsonStream> {
  const { sqlRunner } = context
  if (sqlRunner === undefined) throw sqlNotAvailable('it is turned off.', new Date(Date.now() + RETRY_AFTER_MS))
  await countForWorkspace(context)
  // The parser is loaded at the first query, because it takes longer to load than the rest of the service.
  const { compileForCaller } = await import('./compile-for-caller')
  const { sql, parameters = [] } = request
  return retryOnConflict(context, async (current) => {
    const compiled = compileForCaller(current, sql, parameters.length)
    const statement: RoleStatement = {
      text: compiled.text,
      parameters: [...parameters, ...compiled.parameters].map(parameterText),
      timestamps: compiled.timestamps,
      toCallerPosition: (position) => compiled.toCallerPosition(position),
    }
    const { entityTypes } = compiled
    const queryScore = await chargeScore(current, entityTypes)
    return answer(current, sqlRunner, statement, { ...request, entityTypes, queryScore })
  })
}

/** The limit of SQL belongs to the workspace, not to the token. */
async function countForWorkspace({ limits, model }: ApiContext): Promise<void> {
  const result = await limits?.count(model.workspace.id, 'sql')
  if (result?.retryAt !== undefined) throw rateLimited(new Date(result.retryAt))
}

function answer(
  context: ApiContext,
  runner: SqlRunner,
  statement: RoleStatement,
  { explain = 'false', raw, accept, maxRows, entityTypes, queryScore }: CompiledRequest,
): Promise<JsonText | JsonStream> {
  const form = chooseForm(accept)
  if (explain === 'false')
    return form === 'json' || form === 'text'
      ? queryRows(context, runner, statement, maxRows).then((found) => rowsBody(found, queryScore))
      : stream(context, runner, statement, form === 'csv' ? csvFormat(raw === 'true') : NDJSON_FORMAT)
  const options = explain === 'analyze' ? 'analyze, ' : ''
  return form === 'text'
    ? streamPlan(context, runner, statement, `${options}format text`).then(
        (pieces) => new JsonStream(pieces, 'text/plain; charset=utf-8'),
      )
    : explainAsRows(context, runner, statement, `${options}format json`).then((plan) =>
        rowsBody({ ...plan, pieces: [namePlan(entityTypes, plan.pieces.join(''))] }, queryScore),
      )
}

async function stream(
  context: ApiContext,
  runner: SqlRunner,
  statement: RoleStatement,
  format: StreamFormat,
): Promise<JsonStream> {
  return new JsonStream(await streamRows(context, runner, statement, format), format.contentType)
}

const rowsBody = ({ pieces, columns, isTruncated }: JsonRows, queryScore: number): JsonText =>
  new JsonText(
    ['{"data":{"rows":[', ...pieces, `],"columns":${JSON.stringify(columns.list)},"truncated":${isTruncated}}}`],
    { queryScore },
  )

/** The score of SQL. See docs/reference/errors-and-limits.md (Query score). */
const PER_TABLE = 10

/**
 * Charges the score of a query that reads the tables to the workspace's window, and returns it. The limit of one query does not
 * apply, because SQL has a time limit of its own. Throws 429 over what is left of the window.
 */
async function chargeScore({ model, indexes, costLimit }: ApiContext, tables: readonly EntityType[]): Promise<number> {
  let cost = 1
  for (const { table } of tables) {
    const entities = await (indexes?.sizes.get(table) ?? 0)
    cost += PER_TABLE * (1 + Math.log10(1 + entities / 10_000))
  }
  const score = Math.round(cost)
  await costLimit?.spend(model.workspace.id, score, 0)
  return score
}

// Replaces the stored names in a plan by slugs. See docs/reference/sql.md (Plans).

/** The form of the stored names of tables and of the columns of attributes. */
const STORED_NAME = /\b[ao]_\d+(?:_[a-z_]+)?\b/g

/** `json` is the plan. Only these objects and lists get their names. */
function namePlan(entityTypes: readonly EntityType[], json: string): string {
  const names = new Map(entityTypes.flatMap(namesOf))
  return json.replace(STORED_NAME, (stored) => names.get(stored) ?? stored)
}

function namesOf({ table, api_slug, attributes }: EntityType): [stored: string, name: string][] {
  const stored = table.split('.').at(-1)?.replaceAll('"', '') ?? table
  return [[stored, inJson(api_slug)], ...attributes.flatMap(columnNames)]
}

function columnNames(attribute: EntityType['attributes'][number]): [stored: string, name: string][] {
  const columns = columnsOf(attribute)
  return columns.flatMap(({ name, member }) => {
    const slug = inJson(attribute.api_slug)
    return name === null ? [] : [[name, columns.length === 1 || member === 'value' ? slug : `${slug}.${member}`]]
  })
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The forms of a response, which the client chooses with `Accept`. See docs/reference/sql.md (Responses). */
const MEDIA_TYPES = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'text/plain': 'text',
} as const

type SqlForm = (typeof MEDIA_TYPES)[keyof typeof MEDIA_TYPES]

/** A longer header is not parsed, and the response is JSON. */
const MAX_HEADER_LENGTH = 500

/** JSON when the client names none of them. */
function chooseForm(accept: string | null): SqlForm {
  if (accept === null || accept.length > MAX_HEADER_LENGTH) return 'json'
  const offered = Object.keys(MEDIA_TYPES) as (keyof typeof MEDIA_TYPES)[] // the keys of a literal
  const chosen = new Negotiator({ headers: { accept } }).mediaType([...offered])
  return offered.includes(chosen as (typeof offered)[number]) ? MEDIA_TYPES[chosen as (typeof offered)[number]] : 'json'
}

interface StreamFormat extends RowFormat {
  readonly contentType: string
}

/** `raw` leaves formulas unescaped. */
const csvFormat = (raw: boolean): StreamFormat => ({
  contentType: 'text/csv; charset=utf-8; header=present',
  head: ({ list }) => csvLines([list.map(({ name }) => name)], { raw }),
  line: ({ csv }, row) => csv(row, raw),
})

const NDJSON_FORMAT: StreamFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  head: () => '',
  *line({ json }, row) {
    yield* json(row)
    yield '\n'
  },
}
