/** The parameters of lists, from a query string or from the body of `.search`. See docs/reference/scim.md (Lists). */

import { sql } from 'kysely'
import { invalidFilter, invalidScimValue } from '#base/errors/protocols'
import { compileFilter, type FilterAttributes, type ScimCondition } from '#api/scim/filter/compile'
import { attributeName, parseScimFilter } from '#api/scim/filter/parse'
import { findProperty } from '#api/scim/json-values'
import { SCIM_LIMITS } from '#api/scim/scim-context'

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
    count: Math.min(Math.max(readInteger('count', read('count'), SCIM_LIMITS.pageSize), 0), SCIM_LIMITS.pageSize),
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

/** Which attributes a response has. RFC 7644, 3.9. */
export interface Projection {
  /** In lower case. Undefined for all attributes. */
  readonly only: ReadonlySet<string> | undefined
  readonly excluded: ReadonlySet<string>
}

const ALWAYS = ['schemas', 'id']

const scimProjectionOf = (attributes: unknown, excludedAttributes: unknown): Projection => {
  const only = namesOf('attributes', attributes)
  return { only: only.size === 0 ? undefined : only, excluded: namesOf('excludedAttributes', excludedAttributes) }
}

function namesOf(parameter: string, value: unknown): Set<string> {
  if (value === undefined || value === null) return new Set()
  if (typeof value !== 'string' || value.length > SCIM_LIMITS.attributesLength)
    throw invalidScimValue(
      `"${parameter}" must be names with at most ${SCIM_LIMITS.attributesLength} characters together.`,
    )
  return new Set(
    value
      .split(',')
      .map((name) => attributeName(name.trim()))
      .filter((name) => name !== ''),
  )
}

/** Whether responses have the attribute or a part of it. `name` is in lower case. */
export const isShown = ({ only, excluded }: Projection, name: string): boolean =>
  !excluded.has(name) && (only === undefined || [...only].some((each) => each === name || each.startsWith(`${name}.`)))

/** Returns the resource with the attributes of the projection. A response always has `id` and `schemas`. */
export function project(resource: Readonly<Record<string, unknown>>, projection: Projection): object {
  const shown = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    const key = name.toLowerCase()
    if (ALWAYS.includes(key)) return [[name, value]]
    return isShown(projection, key) ? [[name, projectParts(key, value, projection)]] : []
  })
  return Object.fromEntries(shown)
}

function projectParts(name: string, value: unknown, projection: Projection): unknown {
  if (Array.isArray(value)) return value.map((each) => projectParts(name, each, projection))
  if (typeof value !== 'object' || value === null) return value
  const isWhole = projection.only === undefined || projection.only.has(name)
  const parts = Object.entries(value).filter(([part]) => {
    const key = `${name}.${part.toLowerCase()}`
    return !projection.excluded.has(key) && (isWhole || projection.only?.has(key))
  })
  return Object.fromEntries(parts)
}
