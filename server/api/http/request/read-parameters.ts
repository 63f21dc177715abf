/**
 * Reads the parameters of a request to the token endpoints: a form, as RFC 6749 requires, or a JSON object.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { invalidQuery, unsupportedMediaType } from '#base/errors/http'
import { oauthError } from '#base/errors/protocols'
import { MAX_BODY_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES, OPEN_BODY_LIMIT } from './body-limits'
import { readBytes } from './read-body'
import { findInvalidUnicode, isValidUnicode, measureJson } from './parse-body'
import type { Static, TObject } from 'typebox'
import { compileCheck, type JsonSchema, jsonTypesOf } from '#base/validation/compile-check'
import { urlOf } from './request-url'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Leaves out empty parameters and refuses repeated ones. RFC 6749, 3.2. */
export async function readParameters(request: Request): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type.startsWith('multipart/')) throw unsupportedMediaType(type)
  const text = decode(await readBytes(request, OPEN_BODY_LIMIT))
  // Some clients name one content type and send the other.
  const entries = text.trimStart().startsWith('{') ? entriesOfJson(text) : [...new URLSearchParams(text)]
  const parameters = new Map<string, string>()
  for (const [name, value] of entries) {
    if (parameters.has(name)) throw invalid(`${name} stands more than once.`)
    if (!isValidUnicode(value)) throw invalid(`${name} holds characters that no parameter may have.`)
    parameters.set(name, value)
  }
  return new Map([...parameters].filter(([, value]) => value !== ''))
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

function entriesOfJson(text: string): [string, string][] {
  return Object.entries(parseJson(text)).flatMap(([name, value]): [string, string][] => {
    if (value === null) return []
    if (typeof value !== 'string') throw invalid(`${name} must be text.`)
    return [[name, value]]
  })
}

function parseJson(text: string): object {
  try {
    return JSON.parse(text) as object // JSON text that begins with a brace is an object
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

const invalid = (description: string) => oauthError('invalid_request', description)

// Reads query strings by a schema. Unknown parameters are ignored; the last of repeated ones is used.

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

/** The parameters of every write, which no schema of a route names. */
const COMMON_PARAMETERS: ReadonlySet<string> = new Set(['dry_run'])

/** Returns the names of the parameters that the route does not read, each after a question mark. */
export function unknownParameters(request: Pick<Request, 'url'>, names: ReadonlySet<string>): string[] {
  if (!request.url.includes('?')) return []
  const sent = new Set(urlOf(request).searchParams.keys())
  return [...sent.difference(names).difference(COMMON_PARAMETERS)].map((name) => `?${name}`)
}

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

/** Reads the JSON of a query parameter. Its length is limited by that of the URL. */
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
