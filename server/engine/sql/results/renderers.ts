/** Renders PostgreSQL's text of a value as JSON and as plain text, by the type of its column. */

import { timestampFromPostgres } from '#base/timing/clock'
import { arrayJson, PART_LENGTH, parseRecord } from './literals'
import type { SqlField, SqlTypes } from './types'

/** `nanoseconds` are those below the microseconds of a timestamp. */
type Render = (text: string, nanoseconds?: string | null) => string
/** Renders a text in parts, because one may have megabytes. The computation pauses after each part, which may be empty. */
type RenderParts = (text: string) => Iterable<string>

/** Short texts are rendered at once, long ones in parts. */
export interface ValueRenderer {
  readonly json: Render
  readonly jsonParts: RenderParts
  /** For cells of CSV. */
  readonly plain: Render
  readonly plainParts: RenderParts
  /** Whether the plain text is a text, which may begin like a formula. */
  readonly isText: boolean
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

/** Parts of a text do not end between the two units of a character. */
function* partsOf(text: string): Generator<string, void> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PART_LENGTH
    const isInside = (text.charCodeAt(end - 1) & HIGH_MASK) === HIGH_SURROGATE
    if (isInside) end += 1
    yield text.slice(start, end)
  }
}

const HIGH_MASK = 0xfc00
const HIGH_SURROGATE = 0xd800

function* jsonStringParts(text: string): Generator<string, void> {
  yield '"'
  for (const part of partsOf(text)) yield JSON.stringify(part).slice(1, -1)
  yield '"'
}

/** Only texts that `plain` does not change are long. */
const quoted = (plain: Render): ValueRenderer => ({
  json: (text, nanoseconds) => JSON.stringify(plain(text, nanoseconds)),
  jsonParts: jsonStringParts,
  plain,
  plainParts: partsOf,
  isText: true,
})

const sameAsJson = (json: Render, jsonParts: RenderParts): ValueRenderer => ({
  json,
  jsonParts,
  plain: json,
  plainParts: jsonParts,
  isText: false,
})

const TEXT = quoted((text) => text)
const BOOLEAN = sameAsJson((text) => (text === 't' ? 'true' : 'false'), partsOf)
/** `NaN` and `Infinity` are no numbers of JSON. */
const NUMBER: ValueRenderer = {
  ...sameAsJson((text) => (endsWithDigit(text) ? text : `"${text}"`), partsOf),
  plain: (text) => text,
}
/** Line breaks are white space here: within its strings, JSON has them escaped. */
const withoutBreaks: Render = (text) => text.replaceAll(/[\r\n]+/g, ' ')
const JSON_TEXT = sameAsJson(withoutBreaks, function* (text) {
  for (const part of partsOf(text)) yield withoutBreaks(part)
})
const INSTANT = quoted((text, nanoseconds = null) =>
  isUsualYear(text) ? timestampFromPostgres(text, nanoseconds === null ? null : Number(nanoseconds)) : text,
)
const LOCAL_TIME = quoted((text) => (isUsualYear(text) ? timestampFromPostgres(`${text}+00`).slice(0, -1) : text))

function endsWithDigit(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 48 && last <= 57
}

/** False for `infinity`, for years before Christ and for years with five digits. */
const isUsualYear = (text: string): boolean => text.charCodeAt(4) === 45 /* - */ && !text.endsWith('C')

/** Returns the renderer of a type. A type that it does not contain is rendered as text. */
export function sqlRendererOf(types: SqlTypes, type: number): ValueRenderer {
  if (type === OIDS.bool) return BOOLEAN
  if (OIDS.numbers.includes(type)) return NUMBER
  if (OIDS.json.includes(type)) return JSON_TEXT
  if (type === OIDS.timestamptz) return INSTANT
  if (type === OIDS.timestamp) return LOCAL_TIME
  const found = types.get(type)
  if (found?.fields != null) return structRenderer(types, found.fields)
  if (found?.element != null) return arrayRenderer(sqlRendererOf(types, found.element))
  return TEXT
}

/** A struct whose members are all null is an absent value, which may be a whole in a query that names its members. */
function structRenderer(types: SqlTypes, fields: readonly SqlField[]): ValueRenderer {
  const members = fields.map(({ name, type }) => ({
    key: `${JSON.stringify(name)}:`,
    renderer: sqlRendererOf(types, type),
  }))
  const partsWith = (absent: string): RenderParts =>
    function* (text) {
      const values = yield* parseRecord(text)
      if (values.every((value) => value === null)) return yield absent
      let before = '{'
      for (const [index, { key, renderer }] of members.entries()) {
        const value = values[index] ?? null
        yield before + key
        if (value === null) yield 'null'
        else yield* partsOfJson(renderer, value)
        before = ','
      }
      yield '}'
    }
  const [jsonParts, plainParts] = [partsWith('null'), partsWith('')]
  return { json: atOnce(jsonParts), jsonParts, plain: atOnce(plainParts), plainParts, isText: false }
}

function arrayRenderer(renderer: ValueRenderer): ValueRenderer {
  const jsonParts: RenderParts = (text) => arrayJson(text, (item) => partsOfJson(renderer, item))
  return sameAsJson(atOnce(jsonParts), jsonParts)
}

const partsOfJson = ({ json, jsonParts }: ValueRenderer, text: string): Iterable<string> =>
  text.length > PART_LENGTH ? jsonParts(text) : [json(text)]

const atOnce =
  (parts: RenderParts): Render =>
  (text) => {
    let whole = ''
    for (const part of parts(text)) whole += part
    return whole
  }
