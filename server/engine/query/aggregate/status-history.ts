/** How many entities had each status, and how long. See docs/reference/query.md (Status histories). */

import type { RequestContext } from '#context'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, EntityType, Option } from '#engine/data-model/model'
import type { Row } from '#engine/storage/layout'
import { compileStatusHistory } from '#engine/query/compile/status-history-statement'
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
