/** How many entities had each status, and how long. See docs/reference/query.md (Status histories). */

import type { RequestContext } from '#context'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType, Option } from '#engine/data-model/model'
import type { Row } from '#engine/storage/layout'
import { checkCost } from '#engine/query/planning/check-cost'
import type { Condition } from '#engine/query/resolve/condition'
import type { RelativeContext } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import { runStatement } from '#engine/query/run/run-statement'
import { ApiError } from '#base/errors/api-error'
import { noStatuses } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { timestampFromMicros } from '#base/timing/clock'
import { resolveFiltered } from './aggregate-entities'
import type { StatusHistoryAnswer, StatusHistoryBody } from './schemas'
import { columnName } from '#engine/attribute-types/definition/columns'
import { integerSql } from '#engine/indexes/expressions'
import { activeFromSql, provenanceSql } from '#engine/storage/provenance'
import { compileCondition } from '#engine/query/compile/compile-condition'
import type { QueryStatement } from '#engine/query/compile/page-statement'
import { type StatementBuilder, createStatementBuilder } from '#engine/query/compile/statement-builder'

interface Summarized {
  readonly data: StatusHistoryAnswer['data']
  readonly score: number
}

/** Throws the errors of the body, 429 when the query exceeds the cost limit, and 400 when it takes too long. */
export async function summarizeStatusHistory(
  context: RequestContext,
  entityType: EntityType,
  body: StatusHistoryBody,
): Promise<Summarized> {
  const { model } = context
  const attribute = getStatusAttribute(context, entityType, body.attribute)
  const { query, relativeContext } = await resolveFiltered(context, entityType, body)
  const entered = resolveEntered(context, entityType, body, relativeContext)
  const { score, isLong } = await checkCost(context, entityType, query)
  const history = {
    attribute,
    condition: query.condition,
    entered,
    thresholds: thresholdsOf(attribute, relativeContext),
  }
  const rows = await runStatement(context, compileStatusHistory(model, entityType, history), isLong)
  const rowsByStatus = new Map(rows.map((row) => [Number(row[0]), row]))
  const render = attributeType(attribute.type).render(attribute, model)
  const statuses = attribute.options
    .filter(({ number, is_archived }) => !is_archived || rowsByStatus.has(number))
    .map(({ number }) => ({
      ...JSON.parse(`{${render({ status: number })}}`), // the members of a value, as in a record
      ...numbersOf(rowsByStatus.get(number)),
    }))
  return { data: { statuses }, score }
}

/** Throws 400 for an unknown attribute and for one without statuses. */
export function getStatusAttribute(
  { model }: Pick<RequestContext, 'model'>,
  entityType: EntityType,
  name: string,
): Attribute {
  const attribute = getSearchable(model, entityType, name, (didYouMean) => unknownAttributeKey(name, didYouMean))
  const hasStatuses = attributeType(attribute.type).optionKind === 'status' && attribute.has_history
  if (!hasStatuses) throw noStatuses(attribute.api_slug)
  return attribute
}

/** The condition that the beginning of a stay must meet, in the form of one on the time of creation. */
function resolveEntered(
  { model }: RequestContext,
  entityType: EntityType,
  { entered }: StatusHistoryBody,
  relativeContext: RelativeContext,
): Condition {
  try {
    const filter = entered === undefined ? {} : { created_at: entered }
    return resolveQuery(model, entityType, { filter }, relativeContext).condition
  } catch (error) {
    if (!(error instanceof ApiError) || !Array.isArray(error.extra.path)) throw error
    const path = ['entered', ...error.extra.path.slice(1)]
    throw new ApiError(error.status, error.type, error.code, error.message, { ...error.extra, path }, error.headers)
  }
}

/** PostgreSQL's timestamps begin earlier. No entity is that old. */
const EARLIEST_YEAR = 1

function thresholdsOf({ options }: Attribute, { now }: RelativeContext): ReadonlyMap<number, string> {
  const instant = Temporal.Instant.from(timestampFromMicros(now)).toZonedDateTimeISO('UTC')
  const thresholdOf = ({ number, target_time_in_status: target }: Option): [number, string][] => {
    const before = target === null ? undefined : timeBefore(instant, target)
    return before === undefined || before.year < EARLIEST_YEAR ? [] : [[number, before.toInstant().toString()]]
  }
  return new Map(options.flatMap(thresholdOf))
}

/** Undefined for durations beyond the range of times. */
function timeBefore(time: Temporal.ZonedDateTime, duration: string): Temporal.ZonedDateTime | undefined {
  try {
    return time.subtract(duration)
  } catch {
    return undefined // RangeError
  }
}

function numbersOf(row: Row | undefined) {
  const [, reached = 0, current = 0, ended = 0, average = null, median = null, overTarget = 0] = row ?? []
  const secondsIn = (text: unknown) => (text === null ? null : Number(text))
  return {
    reached: Number(reached),
    current: Number(current),
    ended: Number(ended),
    average_seconds: secondsIn(average),
    median_seconds: secondsIn(median),
    over_target: Number(overTarget),
  }
}

// Compiles the statement of the history of a status attribute: one row for each status that entities had.

interface StatusHistory {
  readonly attribute: Attribute
  /** The entities. */
  readonly condition: Condition
  /** A condition on `created_at`, which the beginning of each stay must meet. */
  readonly entered: Condition
  /** The instant, in the form of PostgreSQL, before which a stay in a status that still lasts is over its target time, by the status's number. */
  readonly thresholds: ReadonlyMap<number, string>
}

const STAY = 's'
const SECONDS = 'extract(epoch from ended_at - created_at)'

/**
 * A stay is the time from when an entity gets a status until it gets another one. The rows have the number of the status, the
 * entities with a stay in it, the stays that last and those that ended, the average and median seconds of the ended ones, and how many
 * of the lasting ones are over the target time.
 */
function compileStatusHistory(
  model: DataModel,
  entityType: EntityType,
  { attribute, condition, entered, thresholds }: StatusHistory,
): QueryStatement {
  const builder = createStatementBuilder(model)
  const status = columnName(attribute, 'status')
  const since = activeFromSql(provenanceSql('h.provenance', attribute.number, '0'), 'h.created_at')
  const text = [
    `select status, count(distinct entity_id), count(*) - count(ended_at), count(ended_at), avg(${SECONDS})::text,`,
    `(percentile_cont(0.5) within group (order by ${SECONDS}))::text, count(*) filter (where ${overTarget(builder, thresholds)})`,
    `from (`,
    `select h.id as entity_id, h.${status} as status, ${since} as created_at, null::timestamptz as ended_at`,
    `from ${entityType.table} h where h.${status} is not null and ${compileCondition(builder, condition, 'h')}`,
    `union all`,
    `select e.entity_id, (e.value->>'status')::int, e.active_from, e.active_until`,
    `from ${model.schema}.history e join ${entityType.table} h on h.id = e.entity_id`,
    `where e.attribute = ${integerSql(attribute.number)} and ${compileCondition(builder, condition, 'h')}`,
    `) ${STAY}`,
    `where ${compileCondition(builder, entered, STAY)}`,
    `group by status`,
  ].join('\n')
  return { text, parameters: builder.parameters }
}

function overTarget(builder: StatementBuilder, thresholds: StatusHistory['thresholds']): string {
  if (thresholds.size === 0) return 'false'
  const cases = [...thresholds].map(
    ([number, instant]) => `when ${integerSql(number)} then ${builder.bind(instant, 'timestamptz')}`,
  )
  return `ended_at is null and created_at < case status ${cases.join(' ')} end`
}
