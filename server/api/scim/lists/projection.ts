/** Which attributes a response has. RFC 7644, 3.9. */

import { invalidScimValue } from '#base/errors/protocols/scim'
import { attributeName } from '#api/scim/filter/parse'
import { MAX_ATTRIBUTES } from '#api/scim/limits'

export interface Projection {
  /** In lower case. Undefined for all attributes. */
  readonly only: ReadonlySet<string> | undefined
  readonly excluded: ReadonlySet<string>
}

const ALWAYS = ['schemas', 'id']

export const scimProjectionOf = (attributes: unknown, excludedAttributes: unknown): Projection => {
  const only = namesOf('attributes', attributes)
  return { only: only.size === 0 ? undefined : only, excluded: namesOf('excludedAttributes', excludedAttributes) }
}

function namesOf(parameter: string, value: unknown): Set<string> {
  if (value === undefined || value === null) return new Set()
  if (typeof value !== 'string' || value.length > MAX_ATTRIBUTES)
    throw invalidScimValue(`"${parameter}" must be names with at most ${MAX_ATTRIBUTES} characters together.`)
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
