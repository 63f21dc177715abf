/** Renders PostgreSQL's text of a value as JSON and as plain text, by the type of its column. */

import { timestampFromPostgres } from '../../timing/clock'
import { type ArrayItem, parseArrayLiteral, parseRecordLiteral } from './literals'
import type { SqlField, SqlTypes } from './types'

export interface ValueRenderer {
  readonly json: (text: string) => string
  /** For cells of CSV. */
  readonly plain: (text: string) => string
}

/** The numbers of PostgreSQL's own types. They are the same in every database. */
const OIDS = {
  bool: 16,
  numbers: [20, 21, 23, 26, 700, 701, 1700],
  json: [114, 3802],
  timestamptz: 1184,
  timestamp: 1114,
  /** `record` and `record[]`, whose text does not name its fields. */
  anonymous: [2249, 2287],
}

export const isAnonymousRecord = (type: number): boolean => OIDS.anonymous.includes(type)

const quoted = (plain: (text: string) => string): ValueRenderer => ({
  plain,
  json: (text) => JSON.stringify(plain(text)),
})

const sameAsJson = (json: (text: string) => string): ValueRenderer => ({ json, plain: json })

const TEXT = quoted((text) => text)
const BOOLEAN = sameAsJson((text) => (text === 't' ? 'true' : 'false'))
/** `NaN` and `Infinity` are no numbers of JSON. */
const NUMBER: ValueRenderer = { plain: (text) => text, json: (text) => (endsWithDigit(text) ? text : `"${text}"`) }
/** Line breaks are white space here: within its strings, JSON has them escaped. */
const JSON_TEXT = sameAsJson((text) => text.replace(/[\r\n]/g, ' '))
const INSTANT = quoted((text) => (isUsualYear(text) ? timestampFromPostgres(text) : text))
const LOCAL_TIME = quoted((text) => (isUsualYear(text) ? timestampFromPostgres(`${text}+00`).slice(0, -1) : text))

function endsWithDigit(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 48 && last <= 57
}

/** False for `infinity`, for years before Christ and for years with five digits. */
const isUsualYear = (text: string): boolean => text.charCodeAt(4) === 45 /* - */ && !text.endsWith('C')

/** Returns the renderer of a type. A type that it does not contain is rendered as text. */
export function rendererOf(types: SqlTypes, type: number): ValueRenderer {
  if (type === OIDS.bool) return BOOLEAN
  if (OIDS.numbers.includes(type)) return NUMBER
  if (OIDS.json.includes(type)) return JSON_TEXT
  if (type === OIDS.timestamptz) return INSTANT
  if (type === OIDS.timestamp) return LOCAL_TIME
  const found = types.get(type)
  if (found?.fields != null) return structRenderer(types, found.fields)
  if (found?.element != null) return sameAsJson(arrayRenderer(rendererOf(types, found.element)))
  return TEXT
}

/** A struct whose members are all null is an absent value, which may be a whole in a query that names its members. */
function structRenderer(types: SqlTypes, fields: readonly SqlField[]): ValueRenderer {
  const members = fields.map(({ name, type }) => ({ key: JSON.stringify(name), json: rendererOf(types, type).json }))
  const render = (text: string, absent: string) => {
    const values = parseRecordLiteral(text)
    if (values.every((value) => value === null)) return absent
    const rendered = members.map(({ key, json }, index) => {
      const value = values[index] ?? null
      return `${key}:${value === null ? 'null' : json(value)}`
    })
    return `{${rendered.join(',')}}`
  }
  return { json: (text) => render(text, 'null'), plain: (text) => render(text, '') }
}

function arrayRenderer({ json }: ValueRenderer): (text: string) => string {
  const render = (item: ArrayItem): string =>
    item === null ? 'null' : typeof item === 'string' ? json(item) : `[${item.map(render).join(',')}]`
  return (text) => `[${parseArrayLiteral(text).map(render).join(',')}]`
}
