/** The text of parameters, from which PostgreSQL makes a value of the type that the statement needs. */

import { renderArray } from '#db/connect'

/** Arrays become arrays of PostgreSQL, and objects become JSON. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    const items = value.map(parameterText)
    const isNested = value.length > 0 && value.every((item) => Array.isArray(item))
    return isNested ? `{${items.join(',')}}` : renderArray(items)
  }
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}
