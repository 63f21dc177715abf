/**
 * Reads the parameters of a request to the token endpoints: a form, as RFC 6749 requires, or a JSON object.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { unsupportedMediaType } from '#base/errors/http'
import { oauthError } from '#base/errors/protocols/oauth'
import { OPEN_BODY_LIMIT } from './body-limits'
import { readBytes } from './read-body'
import { isValidUnicode } from './invalid-unicode'

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
