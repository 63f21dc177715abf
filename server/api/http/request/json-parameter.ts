/** Reads the JSON of a query parameter. Its length is limited by that of the URL. */

import { invalidQuery } from '#base/errors/http'
import { MAX_BODY_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES } from './body-limits'
import { findInvalidUnicode } from './invalid-unicode'
import { measureJson } from './measure-json'

const LIMITS = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, members: MAX_BODY_MEMBERS }

/** Returns undefined for a parameter that the request lacks. Throws 400 for a text that is not JSON. */
export function parseJsonParameter(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  const refusal = (message: string, path: (string | number)[] = []) =>
    invalidQuery([{ code: 'invalid', path: [name, ...path], message }])
  if (measureJson(new TextEncoder().encode(text), LIMITS) !== 'within') throw refusal('The JSON is nested too deeply')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refusal('The text is not valid JSON')
  }
  const path = findInvalidUnicode(text, value)
  if (path !== undefined) throw refusal('Text must not contain NUL or half of a surrogate pair', path)
  return value
}
