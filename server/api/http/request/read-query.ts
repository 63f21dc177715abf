/** Reads query strings by a schema. Unknown parameters are ignored; the last of repeated ones is used. */

import type { Static, TObject } from 'typebox'
import { invalidQuery } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import { jsonTypesOf, type JsonSchema } from '#base/validation/json-types'
import { urlOf } from './request-url'
import { isValidUnicode } from './invalid-unicode'

/** Returns a function that reads and checks the query string of a request. */
export function compileQuery<T extends TObject>(schema: T): (request: Pick<Request, 'url'>) => Static<T> {
  const check = compileCheck(schema)
  const members = Object.entries(schema.properties as Record<string, JsonSchema>) // a TypeBox schema is a JSON schema
  return (request) => {
    const query: Record<string, unknown> = {}
    const parameters = request.url.includes('?') ? urlOf(request).searchParams : NONE
    for (const [name, member] of members) {
      const text = parameters.getAll(name).at(-1)
      if (text !== undefined) query[name] = coerce(text, jsonTypesOf(member))
      else if (member.default !== undefined) query[name] = member.default
    }
    const issues = [...check(query), ...unfit(query)]
    if (issues.length > 0) throw invalidQuery(issues)
    return query as Static<T> // checked against it
  }
}

const NONE = new URLSearchParams()

/** Converts the text of a parameter. A text that cannot be converted stays text, and the check refuses it. */
function coerce(text: string, kinds: string[]): unknown {
  if ((kinds.includes('integer') || kinds.includes('number')) && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (kinds.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const unfit = (query: Record<string, unknown>) =>
  Object.entries(query)
    .filter(([, value]) => typeof value === 'string' && !isValidUnicode(value))
    .map(([name]) => ({ code: 'invalid' as const, path: [name], message: 'Text must not contain NUL' }))
