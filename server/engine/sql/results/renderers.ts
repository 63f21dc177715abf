/** Renders PostgreSQL's text of a value as JSON and as plain text, by the type of its column. */

import { timestampFromPostgres } from '#base/timing/clock'
import type { Sql } from '#db/connect'

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

// The types of PostgreSQL that a result may contain, by their numbers. The numbers of the service's own types differ in each database.

interface ResultType {
  /** As PostgreSQL shows it, such as `timestamp with time zone`. */
  readonly name: string
  /** The number of the type of the items of an array. */
  readonly element: number | null
  /** The fields of one of our composite types. */
  readonly fields: readonly SqlField[] | null
}

interface SqlField {
  readonly name: string
  readonly type: number
}

export type SqlTypes = ReadonlyMap<number, ResultType>

interface TypeRow {
  readonly oid: string
  readonly name: string
  readonly element: string | null
  readonly fields: string | null
}

/** Reads the types over the connection whose results they describe. */
export async function loadTypes(sql: Sql): Promise<SqlTypes> {
  const rows = await sql.unsafe<TypeRow[]>(`
    select t.oid::int8::text as oid, replace(format_type(t.oid, null), 'relata_sql.', '') as name,
      case when t.typcategory = 'A' then t.typelem::int8::text end as element,
      case when t.typtype = 'c' then (
        select json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ) end as fields
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = 'relata_sql' or (n.nspname = 'pg_catalog' and t.typrelid = 0)`)
  return new Map(
    rows.map(({ oid, name, element, fields }) => [
      Number(oid),
      {
        name,
        element: element === null ? null : Number(element),
        fields: fields === null ? null : (JSON.parse(fields) as SqlField[]), // the statement makes this form
      },
    ]),
  )
}

// Reads the texts of PostgreSQL's arrays and composite values. The generators pause where they yield an empty text.

/** A longer text is read and rendered in parts of this length. */
export const PART_LENGTH = 64 * 1024

interface Cursor {
  readonly text: string
  at: number
}

/** Renders an item of an array, which is never null. */
type RenderItem = (item: string) => Iterable<string>

/** Renders `{a,"b c",NULL,{…}}` as JSON. Bounds in front, as in `[0:1]={a,b}`, are left out. */
function* arrayJson(text: string, renderItem: RenderItem): Generator<string, void> {
  const cursor: Cursor = { text, at: text.startsWith('[') ? text.indexOf('=') + 1 : 0 }
  let json = ''
  while (cursor.at < text.length) {
    const mark = MARKS[text[cursor.at] ?? '']
    if (mark !== undefined) {
      json += mark
      cursor.at++
    } else {
      const isQuoted = text[cursor.at] === '"'
      const item = isQuoted ? yield* readQuoted(cursor) : readUntil(cursor, END_OF_ITEM)
      if (!isQuoted && item === 'NULL') json += 'null'
      else
        for (const part of renderItem(item)) {
          json += part
          if (json.length < PART_LENGTH) continue
          yield json
          json = ''
        }
    }
    if (json.length < PART_LENGTH) continue
    yield json
    json = ''
  }
  yield json
}

const MARKS: Readonly<Record<string, string>> = { '{': '[', '}': ']', ',': ',' }
const END_OF_ITEM = /[,}]|$/g
const END_OF_FIELD = /[,)]|$/g

/** Parses `(a,"b c",)`. A field without text is null. */
function* parseRecord(text: string): Generator<string, (string | null)[]> {
  const cursor: Cursor = { text, at: 1 }
  const fields: (string | null)[] = []
  for (;;) {
    fields.push(yield* readField(cursor))
    if (text[cursor.at++] !== ',') return fields
  }
}

function* readField(cursor: Cursor): Generator<string, string | null> {
  const start = cursor.text[cursor.at]
  if (start === ',' || start === ')' || start === undefined) return null
  return start === '"' ? yield* readQuoted(cursor) : readUntil(cursor, END_OF_FIELD)
}

function readUntil(cursor: Cursor, end: RegExp): string {
  const start = cursor.at
  end.lastIndex = start
  cursor.at = end.exec(cursor.text)?.index ?? cursor.text.length
  return cursor.text.slice(start, cursor.at)
}

/** Arrays escape a quotation mark and a backslash with a backslash, and composite values double them. */
function* readQuoted(cursor: Cursor): Generator<string, string> {
  const { text } = cursor
  const parts: string[] = []
  let start = ++cursor.at
  for (;;) {
    const character = text.charCodeAt(cursor.at)
    const isQuote = character === QUOTE
    const isEnd = Number.isNaN(character) || (isQuote && text.charCodeAt(cursor.at + 1) !== QUOTE)
    if (isEnd || cursor.at - start >= PART_LENGTH) {
      parts.push(text.slice(start, cursor.at).replaceAll(ESCAPED, '$1'))
      start = cursor.at
      if (!isEnd) yield ''
    }
    cursor.at += isEnd || !(isQuote || character === BACKSLASH) ? 1 : 2
    if (isEnd) return parts.join('')
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPED = /["\\]([^])/g
