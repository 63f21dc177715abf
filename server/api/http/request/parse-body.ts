/**
 * Parses the bytes of a body as a JSON object. The answer can be sent from one thread to another. JSON is measured before it is parsed: a
 * parser needs a second for 25 MB of small values, and a deep value exhausts the stack of a recursive function. Texts that PostgreSQL
 * cannot store are found afterwards: with NUL, or with a lone surrogate.
 * See docs/reference/errors-and-limits.md (Malformed requests, Sizes).
 */
import type { ValidationIssue } from '#base/errors/api-error'
import { MAX_BODY_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES } from './body-limits'

export type ParsedBody = { readonly object: Record<string, unknown> } | { readonly issue: ValidationIssue }

const LIMITS = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, members: MAX_BODY_MEMBERS }
const decoder = new TextDecoder('utf-8', { fatal: true })

export function parseBody(bytes: Uint8Array): ParsedBody {
  const size = measureJson(bytes, LIMITS)
  if (size === 'too deep') return unreadable('The body is nested too deeply')
  if (size === 'too many values') return unreadable(`The body has more than ${MAX_BODY_VALUES} values`)
  if (size === 'too many members') return unreadable(`The body has more than ${MAX_BODY_MEMBERS} members`)
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return unreadable('The body is not valid UTF-8')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable('The body is not valid JSON')
  }
  return asObject(value, text)
}

function asObject(value: unknown, text: string): ParsedBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    const message = `Expected object, received ${received}`
    return { issue: { code: 'invalid_type', path: [], message, expected: 'object', received } }
  }
  const path = findInvalidUnicode(text, value)
  if (path !== undefined)
    return { issue: { code: 'invalid', path, message: 'Text must not contain NUL or half of a surrogate pair' } }
  return { object: value as Record<string, unknown> } // an object, checked above
}

const unreadable = (message: string): ParsedBody => ({ issue: { code: 'invalid', path: [], message } })

interface JsonLimits {
  readonly depth: number
  /** The number of members and elements. An empty object or array counts twice. */
  readonly values: number
  /** The number of members of objects. A parser needs ten times as long for a member as for an element. */
  readonly members: number
}

type JsonSize = 'within' | 'too deep' | 'too many values' | 'too many members'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/** Reads UTF-8 once, skips strings, allocates nothing and checks no syntax. */
export function measureJson(bytes: Uint8Array, limits: JsonLimits): JsonSize {
  let depth = 0
  let values = 1
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === COMMA) values++
    else if (byte === COLON) members++
    else if (isOpening(byte)) {
      values++
      depth++
      if (depth > limits.depth) return 'too deep'
    } else if (isClosing(byte)) depth--
    if (values > limits.values) return 'too many values'
    if (members > limits.members) return 'too many members'
  }
  return 'within'
}

/** Returns the index of the closing quote, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

const isOpening = (byte: number | undefined): boolean => byte === 0x5b /* [ */ || byte === 0x7b /* { */
const isClosing = (byte: number | undefined): boolean => byte === 0x5d /* ] */ || byte === 0x7d /* } */

type Path = (string | number)[]

/** Escapes that may be NUL or a lone surrogate. Valid UTF-8 contains them in no other form. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i

/** Returns the path of the first key or text that PostgreSQL refuses. Searches the value only when its JSON has such an escape. */
export function findInvalidUnicode(text: string, value: unknown): Path | undefined {
  return SUSPICIOUS.test(text) ? findUnfit(value)?.toReversed() : undefined
}

export const isValidUnicode = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Returns the path in reverse, or undefined. The recursion ends, because `readBody` limits the depth. */
function findUnfit(value: unknown): Path | undefined {
  if (typeof value === 'string') return isValidUnicode(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  return Array.isArray(value) ? findInArray(value) : findInObject(value as Record<string, unknown>) // JSON has no others
}

function findInArray(values: readonly unknown[]): Path | undefined {
  for (let index = 0; index < values.length; index++) {
    const found = findUnfit(values[index])
    if (found !== undefined) return withStep(found, index)
  }
  return undefined
}

function findInObject(value: Readonly<Record<string, unknown>>): Path | undefined {
  for (const key in value) {
    if (!isValidUnicode(key)) return []
    const found = findUnfit(value[key])
    if (found !== undefined) return withStep(found, key)
  }
  return undefined
}

function withStep(path: Path, step: string | number): Path {
  path.push(step)
  return path
}
