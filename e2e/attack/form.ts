/** Checks that a response is well-formed and shows nothing of the machine or the database. */

import { breach, isForScim } from '../support/http/contract'

/** The form of a response: `json` of the API and the console, `oauth` of the token endpoints, `page` for people, or another. */
export type AnswerForm = 'json' | 'oauth' | 'page' | 'file' | 'any'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const SQL_PATH = '/v2/sql'
const EXPORT_PATH = /\/export$/
/** The operations of SCIM that the service declares as unsupported. */
const NOT_IMPLEMENTED = 501

const SECRETS: readonly RegExp[] = [
  /\bat [\w.<>]+ \(?[^\s)]*:\d+:\d+/,
  /node_modules|\.ts:\d+/,
  /\b(?:Postgres|Type|Reference|Syntax|Range)Error\b/,
]

/** Plans of SQL contain the names of the caller's own tables. */
const TABLES = /\bw_\d+\.|"(?:w|a|o|l)_\d+"|\brelata\.[a-z_]+\b(?= (?:does|violates|has))/

/** Messages of PostgreSQL, which answers about SQL and about formulas contain. */
const MESSAGES = /invalid (?:input syntax|byte sequence)|syntax error at or near|violates [a-z-]+ constraint/

const FORMULA_PATH = /\/attributes(?:\/[^/]+)?$/

/** What the answers of a path must not contain beside `SECRETS`. */
const secretsOf = (path: string): readonly RegExp[] => {
  if (path === SQL_PATH) return []
  return FORMULA_PATH.test(path) ? [TABLES] : [TABLES, MESSAGES]
}

/** Returns the fault of a response, or undefined. */
export function problemOf(method: string, path: string, form: AnswerForm, answer: Answer): string | undefined {
  const { status, text } = answer
  if (status >= 500 && status !== NOT_IMPLEMENTED) return `${status} ${text.slice(0, 300)}`
  if (form === 'file' && status < 400) return undefined
  const patterns = [...SECRETS, ...secretsOf(path)]
  const secret =
    patterns.find((pattern) => pattern.test(text)) ?? (text.includes(process.cwd()) ? process.cwd() : undefined)
  if (secret !== undefined) return `${status} shows ${String(secret)}: ${text.slice(0, 500)}`
  return form === 'any' ? undefined : problemOfForm(method, path, form, answer)
}

function problemOfForm(
  method: string,
  path: string,
  form: AnswerForm,
  { status, type, text }: Answer,
): string | undefined {
  const isPage = type.startsWith('text/html')
  if (form === 'page' && (isPage || (status >= 300 && status < 400))) return undefined
  if (isPage) return `${status} is a page: ${text.slice(0, 300)}`
  if (type.startsWith('text/event-stream') || status === 204 || (form === 'oauth' && text === '')) return undefined
  if (isForScim(path)) return problemOfScim(method, path, { status, type, text })
  if (EXPORT_PATH.test(path) && status === 200) return problemOfLines(type, text)
  if (!type.startsWith('application/json')) return `${status} is ${type || 'without a type'}: ${text.slice(0, 300)}`
  const body = parsed(text)
  if (form === 'oauth' && status >= 400 && !hasTexts(body, 'error', 'error_description'))
    return `${status} without error and error_description: ${text.slice(0, 300)}`
  return breach(method, path, status, body)
}

/** An export is CSV when the request says so, and otherwise a line of JSON for each record. */
function problemOfLines(type: string, text: string): string | undefined {
  if (type.startsWith('text/csv')) return undefined
  if (!type.startsWith('application/x-ndjson')) return `200 is ${type || 'without a type'}: ${text.slice(0, 300)}`
  const wrong = text.split('\n').find((line) => line !== '' && parsed(line) === undefined)
  return wrong === undefined ? undefined : `the line is not JSON: ${wrong.slice(0, 300)}`
}

/** A response of success may lack attributes, when the request names others. */
function problemOfScim(method: string, path: string, { status, type, text }: Answer): string | undefined {
  if (!type.startsWith('application/scim+json'))
    return `${status} is ${type || 'without a type'}: ${text.slice(0, 300)}`
  const body = parsed(text)
  if (status >= 400) return breach(method, path, status, body)
  return body === undefined ? `${status} is not JSON: ${text.slice(0, 300)}` : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const hasTexts = (body: unknown, ...names: string[]): boolean =>
  typeof body === 'object' && body !== null && names.every((name) => typeof Reflect.get(body, name) === 'string')
