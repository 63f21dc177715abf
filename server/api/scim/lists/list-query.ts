/** The parameters of lists, from a query string or from the body of `.search`. See docs/reference/scim.md (Lists). */

import { sql } from 'kysely'
import { invalidFilter, invalidScimValue } from '#base/errors/protocols/scim'
import { type ScimCondition, compileFilter, type FilterAttributes } from '#api/scim/filter/compile'
import { parseScimFilter } from '#api/scim/filter/parse'
import { findProperty } from '#api/scim/json-values'
import { MAX_COUNT } from '#api/scim/limits'
import { type Projection, scimProjectionOf } from './projection'

export interface ScimListQuery {
  readonly filter: string | undefined
  /** 1 is the first resource. */
  readonly startIndex: number
  readonly count: number
  readonly projection: Projection
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Later offsets are the end of every list. */
const MAX_START = 1_000_000_000

export const readListQuery = (query: URLSearchParams): ScimListQuery =>
  toListQuery(
    (name) => query.getAll(name).at(-1),
    (name) => findParameter(query, name),
  )

/** Reads the body of `.search`. */
export const readSearch = (body: Readonly<Record<string, unknown>>): ScimListQuery =>
  toListQuery(
    (name) => findProperty(body, name.toLowerCase()),
    (name) => {
      const value = findProperty(body, name.toLowerCase())
      return Array.isArray(value) ? value.join(',') : value
    },
  )

/** The projection of a single resource. */
export const readProjection = (query: URLSearchParams): Projection =>
  scimProjectionOf(findParameter(query, 'attributes'), findParameter(query, 'excludedAttributes'))

const findParameter = (query: URLSearchParams, name: string): string | undefined => query.getAll(name).at(-1)

type Read = (name: string) => unknown

function toListQuery(read: Read, readNames: Read): ScimListQuery {
  const filter = read('filter') ?? undefined
  if (filter !== undefined && typeof filter !== 'string') throw invalidFilter('"filter" must be a text.')
  return {
    filter: filter?.trim() === '' ? undefined : filter,
    startIndex: Math.min(Math.max(readInteger('startIndex', read('startIndex'), 1), 1), MAX_START),
    count: Math.min(Math.max(readInteger('count', read('count'), MAX_COUNT), 0), MAX_COUNT),
    projection: scimProjectionOf(readNames('attributes'), readNames('excludedAttributes')),
  }
}

const INTEGER = /^[+-]?\d{1,300}$/

function readInteger(name: string, value: unknown, whenAbsent: number): number {
  if (value === undefined || value === null || value === '') return whenAbsent
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value !== 'string' || !INTEGER.test(value)) throw invalidScimValue(`"${name}" must be a whole number.`)
  return Number(value)
}

/** Throws 400 `invalidFilter`. */
export const conditionOf = ({ filter }: ScimListQuery, attributes: FilterAttributes): ScimCondition =>
  filter === undefined ? sql`true` : compileFilter(parseScimFilter(filter), attributes)

export const scimPageOf = ({ startIndex, count }: ScimListQuery) => ({ offset: startIndex - 1, limit: count })

export const renderScimList = (startIndex: number, totalResults: number, resources: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
