/**
 * Parses the bytes of a body as a JSON object. The answer can be sent from one thread to another.
 * See docs/reference/errors-and-limits.md (Malformed requests, Sizes).
 */

import type { ValidationIssue } from '#base/errors/api-error'
import { MAX_BODY_DEPTH, MAX_BODY_MEMBERS, MAX_BODY_VALUES } from './body-limits'
import { findInvalidUnicode } from './invalid-unicode'
import { measureJson } from './measure-json'

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
