/** Errors of filters, sorts, views and SQL. A `path` leads to the place inside the filter or the sorts; its positions are strings. */

import { ApiError, quoted, requestError, suggestion, wholeSeconds } from './api-error'

export const filterError = (message: string, path: string[] = []) =>
  requestError(400, 'filter_error', `Error in filter: ${message}`, { path })

export const unknownFilterAttribute = (slug: string, path: string[], didYouMean?: string) =>
  requestError(400, 'unknown_filter_attribute_slug', `Unknown attribute slug: ${slug}.`, {
    path,
    ...suggestion(didYouMean),
  })

export const invalidFilterField = (field: string, type: string, path: string[]) =>
  requestError(400, 'invalid_filter_field', `Invalid field '${field}' for attribute of type '${type}'`, { path })

export const invalidFilterOperator = (operator: string, path: string[]) =>
  requestError(400, 'invalid_filter_operator', `Invalid operator: ${operator}`, { path })

export const noNumbers = (slug: string, fn: string) =>
  requestError(
    400,
    'validation_type',
    `Attribute ${quoted(slug)} has no ${fn}. Name a number, currency or rating attribute with one value.`,
    { path: ['aggregates'] },
  )

export const withoutAttribute = (fn: string) =>
  requestError(400, 'validation_type', `Name the attribute of ${fn}. Only count needs none.`, { path: ['aggregates'] })

export const groupWithoutAttribute = (member: string) =>
  requestError(400, 'validation_type', 'Name the attribute of the groups, or a path to one.', { path: [member] })

export const attributeAndPath = (path: string[]) =>
  requestError(400, 'validation_type', 'Name either an attribute or a path.', { path })

export const notGroupable = (slug: string, member: string) =>
  requestError(
    400,
    'validation_type',
    `Records cannot be grouped by attribute ${quoted(slug)}. Name a select, status, actor, text, checkbox, rating, date, time, domain, location or record reference attribute that stores its values.`,
    { path: [member] },
  )

export const noSteps = (slug: string, member: string) =>
  requestError(
    400,
    'validation_type',
    `Attribute ${quoted(slug)} has no dates or times, so its groups have no step. Leave out step, or name a date, timestamp or interaction attribute.`,
    { path: [member, 'step'] },
  )

export const noStatuses = (slug: string) =>
  requestError(
    400,
    'validation_type',
    `Attribute ${quoted(slug)} has no history of statuses. Name a status attribute.`,
    {
      path: ['attribute'],
    },
  )

export const splitWithoutGroups = () =>
  requestError(400, 'validation_type', 'split_by divides groups: name group_by as well.', { path: ['split_by'] })

export const missingSortField = (message: string, path: string[]) =>
  requestError(400, 'missing_sort_field', message, { path })

/** The statement reached its time limit. The same query would reach it again, so this is not a 503. */
export const queryTimedOut = () =>
  requestError(400, 'query_timed_out', 'The query took too long and was stopped. Narrow its filter or leave out sorts.')

/** The score of the query alone is above the limit, so a retry does not help. */
export const queryTooCostly = (score: number, limit: number) =>
  new ApiError(
    429,
    'rate_limit_error',
    'rate_limit_exceeded',
    `Rate limit exceeded: this query has a score of ${score}, and a query may have ${limit}. Trying again does not ` +
      'help; ask for fewer conditions, paths and sorts at once.',
    { retryable: false },
    { 'Retry-After': wholeSeconds(new Date()) },
  )

export const noSum = (slug: string) =>
  requestError(
    400,
    'validation_type',
    `Attribute ${quoted(slug)} has no sum. Name a number, currency or rating attribute.`,
  )

export const personalDefaultView = () =>
  requestError(400, 'validation_type', 'A personal view cannot be the one that opens for everyone.')

export const personalViewOfClient = () =>
  requestError(400, 'validation_type', 'Only members save personal views, at the console.')

export const notForBoards = (slug: string) =>
  requestError(
    400,
    'validation_type',
    `Attribute ${quoted(slug)} cannot be the columns of a board. Name a status attribute, or a select attribute with one value.`,
  )

export const viewNotFound = (id: string) => requestError(404, 'not_found', `View with ID ${quoted(id)} was not found.`)

export const tooManyPins = (maximum: number) =>
  requestError(400, 'quota_exceeded', `A member pins at most ${maximum} views. Unpin one first.`)

export const tooManyFollowedRecords = (maximum: number) =>
  requestError(400, 'quota_exceeded', `A member follows at most ${maximum} records. Unfollow one first.`)

export const dashboardNotFound = (id: string) =>
  requestError(404, 'not_found', `Dashboard with ID ${quoted(id)} was not found.`)

export const personalDashboardOfClient = () =>
  requestError(400, 'validation_type', 'Only members save personal dashboards, at the console.')

export const tooManyDashboards = (limit: number) =>
  requestError(400, 'quota_exceeded', `A workspace has at most ${limit} dashboards. Delete one first.`)

export const scheduleNotFound = (id: string) =>
  requestError(404, 'not_found', `Schedule with ID ${quoted(id)} was not found.`)

export const tooManySchedules = (limit: number) =>
  requestError(400, 'quota_exceeded', `A dashboard has at most ${limit} schedules of emails. Delete one first.`)

export const savedQueryNotFound = (id: string) =>
  requestError(404, 'not_found', `Saved query with ID ${quoted(id)} was not found.`)

export const savedQueryNameTaken = (name: string) =>
  requestError(409, 'slug_conflict', `There is already another saved query with the name ${quoted(name)}.`)

export const savedQueryOfOther = () =>
  new ApiError(403, 'auth_error', 'unauthorized', 'Only the author of a saved query and administrators may change it.')

export const savedQueryChanged = () =>
  requestError(412, 'version_conflict', 'The saved query has changed since it was opened. Open it again.')

export const tooManySavedQueries = (limit: number) =>
  requestError(400, 'quota_exceeded', `A workspace has at most ${limit} saved queries. Delete one first.`)

export interface SqlErrorPlace {
  /** Where in the caller's text, in characters from 1. Null when no part of the text is the cause. */
  readonly position: number | null
  readonly hint: string | null
}

/** The text of SQL was refused, or PostgreSQL could not run it. The message is PostgreSQL's. See docs/reference/sql.md (Errors). */
export const sqlError = (message: string, { position, hint }: SqlErrorPlace = { position: null, hint: null }) =>
  requestError(400, 'filter_error', message, {
    ...(position === null ? {} : { position }),
    ...(hint === null ? {} : { hint }),
  })

/** The time limit also covers the rows that a client reads slowly. */
export const sqlTimedOut = (seconds: number) =>
  sqlError(`canceling statement due to statement timeout: it ran for ${seconds} seconds, the limit.`)

/** An operator has to change the settings or the database; a retry does not help before that. */
export const sqlNotAvailable = (reason: string, retryAfter: Date) =>
  new ApiError(
    503,
    'api_error',
    'unavailable',
    `SQL is not available: ${reason}`,
    {},
    { 'Retry-After': wholeSeconds(retryAfter) },
  )

export const indexNotFound = (name: string) =>
  requestError(404, 'not_found', `Index ${quoted(name)} was not found in this workspace.`)
