/** Runs a query of a caller. See docs/reference/sql.md. */

import type { ApiContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { rateLimited } from '#base/errors/http'
import { sqlNotAvailable } from '#base/errors/queries'
import { JsonText } from '#api/http/response/answer'
import { JsonStream } from '#api/http/response/json-stream'
import { parameterText } from '#engine/sql/run/parameters'
import { explainAsRows, type JsonRows, queryRows } from '#engine/sql/run/query-rows'
import type { SqlRunner } from '#engine/sql/run/sql-runner'
import type { RoleStatement } from '#engine/sql/run/statement'
import { streamPlan, streamRows } from '#engine/sql/run/stream-rows'
import { chargeScore } from './charge-score'
import { namePlan } from './name-plan'
import { chooseForm, csvFormat, NDJSON_FORMAT, type StreamFormat } from './response-forms'

export interface SqlRequest {
  readonly sql: string
  readonly parameters?: readonly unknown[]
  readonly explain?: 'true' | 'false' | 'analyze'
  readonly raw?: 'true' | 'false'
  readonly accept: string | null
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
  { explain = 'false', raw, accept, entityTypes, queryScore }: CompiledRequest,
): Promise<JsonText | JsonStream> {
  const form = chooseForm(accept)
  if (explain === 'false')
    return form === 'json' || form === 'text'
      ? queryRows(context, runner, statement).then((found) => rowsBody(found, queryScore))
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
