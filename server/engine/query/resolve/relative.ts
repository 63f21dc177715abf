/**
 * Operands of `$relative`: periods around an instant in a time zone, and members as the caller sees them. See docs/reference/query.md
 * (Relative conditions).
 */

import type { RequestContext } from '#context'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { isObject } from '#base/validation/shapes'
import { invalidRequest } from '#base/errors/http'
import { filterError } from '#base/errors/queries'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { findTimezone } from '#base/timing/time-zones'
import { parsePeriod, type PeriodUnit, type RelativePeriod } from '#vocabulary/relative-periods'
import { type Filter, parseFilter, type SourceValue } from '#engine/query/parse/parse-filter'
import type { Comparison } from './condition'

/** What relative operands are relative to. */
export interface RelativeContext {
  readonly now: Micros
  /** The name of an IANA time zone. */
  readonly timeZone: string
  /** Undefined for a key or an app of the workspace, which is no member. */
  readonly memberId: string | undefined
  /** The member and all members of its teams. Empty unless the filter names `my_teams`. */
  readonly teamMemberIds: readonly string[]
}

/** Of a filter that is checked and not run. */
export const UNUSED_RELATIVE_CONTEXT: RelativeContext = { now: 0, timeZone: 'UTC', memberId: '', teamMemberIds: [] }

type RequestParts = Pick<RequestContext, 'model' | 'db' | 'now' | 'memberId' | 'clientId'>

/** Of a request. Throws 400 for an unknown time zone, and the errors of `parseFilter`. */
export function relativeContextOf(context: RequestParts, filter: unknown, timeZone?: string): Promise<RelativeContext> {
  const { now, memberId, clientId } = context
  return relativeContextAt(context, filter, {
    now: now(),
    timeZone,
    memberId: clientId === undefined ? memberId : undefined,
  })
}

interface Given extends Pick<RelativeContext, 'now' | 'memberId'> {
  readonly timeZone?: string | undefined
}

/** The same of what a member asked earlier. */
export async function relativeContextAt(
  { model, db }: Pick<RequestContext, 'model' | 'db'>,
  filter: unknown,
  { now, timeZone = 'UTC', memberId }: Given,
): Promise<RelativeContext> {
  const zone = findTimezone(timeZone)
  if (zone === undefined) throw invalidRequest('time_zone is the name of a time zone, such as "Europe/Berlin".')
  const needsTeams = memberId !== undefined && filter !== undefined && namesTeams(parseFilter(filter))
  const teamMemberIds = needsTeams ? await findTeamMembers(db, model, memberId) : []
  return { now, timeZone: zone, memberId, teamMemberIds }
}

function namesTeams(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.some(namesTeams)
    case 'not':
      return namesTeams(filter.of)
    case 'condition': {
      const { raw } = filter.constraint
      return (
        isObject(raw) && [raw, ...Object.values(raw)].some((each) => isObject(each) && each.$relative === 'my_teams')
      )
    }
  }
}

async function findTeamMembers(
  { sql }: RequestContext['db'],
  { workspace }: DataModel,
  memberId: string,
): Promise<string[]> {
  const rows = await controlQueriesIn(sql)
    .selectFrom('relata.team_members as own')
    .innerJoin(
      'relata.team_members as m',
      onEqual({ 'm.workspace_id': 'own.workspace_id', 'm.team_id': 'own.team_id' }),
    )
    .select('m.member_id')
    .distinct()
    .where(equal({ 'own.workspace_id': workspace.id, 'own.member_id': memberId }))
    .execute()
  return [...new Set([memberId, ...rows.map(({ member_id }) => member_id)])]
}

interface Relative {
  readonly model: DataModel
  readonly attribute: Attribute
  readonly property: Property
  readonly relativeContext: RelativeContext
}

/** The comparisons that one value must meet. Throws 400 for an operand that the property does not take. */
export function resolveRelative(
  { model, attribute, property, relativeContext }: Relative,
  { raw, path }: SourceValue,
): Comparison[] {
  const refuse = (expected: string) => filterError(`The operand of $relative is ${expected}.`, [...path])
  if (typeof raw !== 'string') throw refuse('a text such as "last_30_days" or "me"')
  if (property.source === 'numbers') {
    if (raw !== 'me' && raw !== 'my_teams') throw refuse('me or my_teams')
    if (relativeContext.memberId === undefined) throw filterError(`"${raw}" needs a request of a member.`, [...path])
    const ids = raw === 'me' ? [relativeContext.memberId] : relativeContext.teamMemberIds
    return [{ kind: 'numbers', property, numbers: ids.flatMap((id) => model.membersById.get(id)?.actor ?? []) }]
  }
  const period = parsePeriod(raw)
  if (period === undefined)
    throw refuse('a period such as "today", "this_week", "last_30_days" or "more_than_30_days_ago"')
  const isDate = property.source === 'column' && attributeType(attribute.type).columns[property.column] === 'date'
  const range = rangeOf(period, relativeContext)
  const operandOf = ({ day, instant }: Bound) =>
    isDate ? day.toString() : (instant ?? day.toZonedDateTime(relativeContext.timeZone).toInstant()).toString()
  const bounds = [
    ['$gte', range.from],
    ['$lt', range.until],
  ] as const
  return bounds.flatMap(([operator, bound]): Comparison[] => {
    if (bound === undefined) return []
    const text = operandOf(bound)
    if (property.source === 'active_from')
      return [{ kind: 'since', operator, instant: property.operand(text, attribute, model, operator) }]
    return [{ kind: 'compare', property, operator, operand: property.operand(text, attribute, model, operator) }]
  })
}

/** The beginning of a day, or an instant within it. */
interface Bound {
  readonly day: Temporal.PlainDate
  readonly instant?: Temporal.Instant
}

interface Range {
  readonly from?: Bound
  /** Exclusive. */
  readonly until?: Bound
}

function rangeOf(period: RelativePeriod, { now, timeZone }: RelativeContext): Range {
  const instant = Temporal.Instant.from(timestampFromMicros(now))
  const today = instant.toZonedDateTimeISO(timeZone).toPlainDate()
  const between = (from: Temporal.PlainDate, until: Temporal.PlainDate) => ({
    from: { day: from },
    until: { day: until },
  })
  if (period.kind === 'overdue') return { until: { day: today, instant } }
  const { unit } = period
  if (period.kind === 'whole') {
    const shift = { last: -1, this: 0, next: 1 }[period.which]
    const start = startOf(unit, today)
    return between(plus(start, shift, unit), plus(start, shift + 1, unit))
  }
  const { which, count } = period
  const tomorrow = today.add({ days: 1 })
  switch (which) {
    case 'last':
      return between(plus(tomorrow, -count, unit), tomorrow)
    case 'next':
      return between(today, plus(today, count, unit))
    case 'before':
      return { until: { day: plus(today, -count, unit) } }
    case 'after':
      return { from: { day: plus(today, count, unit).add({ days: 1 }) } }
  }
}

/** Weeks begin on Monday. */
function startOf(unit: PeriodUnit, day: Temporal.PlainDate): Temporal.PlainDate {
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 })
    case 'month':
      return day.with({ day: 1 })
    case 'quarter':
      return day.with({ month: day.month - ((day.month - 1) % 3), day: 1 })
    case 'year':
      return day.with({ month: 1, day: 1 })
  }
}

const plus = (day: Temporal.PlainDate, count: number, unit: PeriodUnit): Temporal.PlainDate =>
  unit === 'quarter' ? day.add({ months: 3 * count }) : day.add({ [`${unit}s`]: count })
