/** Checks that a response is well-formed and shows nothing of the machine or the database. */

import { breach } from '../support/http/contract'

/** The form of a response: `json` of the API and the console, `oauth` of the token endpoints, `page` for people, or another. */
export type AnswerForm = 'json' | 'oauth' | 'page' | 'file' | 'any'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const SQL_PATH = '/v2/sql'

const SECRETS: readonly RegExp[] = [
  /\bat [\w.<>]+ \(?[^\s)]*:\d+:\d+/,
  /node_modules|\.ts:\d+/,
  /\b(?:Postgres|Type|Reference|Syntax|Range)Error\b/,
]

/** Responses of SQL contain them: PostgreSQL's messages, and in plans the names of the caller's own tables. */
const SECRETS_BESIDE_SQL: readonly RegExp[] = [
  /\bw_\d+\.|"(?:w|a|o|l)_\d+"|\brelata\.[a-z_]+\b(?= (?:does|violates|has))/,
  /invalid (?:input syntax|byte sequence)|syntax error at or near|violates [a-z-]+ constraint/,
]

/** Returns the fault of a response, or undefined. */
export function problemOf(method: string, path: string, form: AnswerForm, answer: Answer): string | undefined {
  const { status, text } = answer
  if (status >= 500) return `${status} ${text.slice(0, 300)}`
  if (form === 'file' && status < 400) return undefined
  const patterns = path === SQL_PATH ? SECRETS : [...SECRETS, ...SECRETS_BESIDE_SQL]
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
  if (!type.startsWith('application/json')) return `${status} is ${type || 'without a type'}: ${text.slice(0, 300)}`
  const body = parsed(text)
  if (form === 'oauth' && status >= 400 && !hasTexts(body, 'error', 'error_description'))
    return `${status} without error and error_description: ${text.slice(0, 300)}`
  return breach(method, path, status, body)
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
