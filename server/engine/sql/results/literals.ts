/** Reads the texts of PostgreSQL's arrays and composite values. The generators pause where they yield an empty text. */

/** A longer text is read and rendered in parts of this length. */
export const PART_LENGTH = 64 * 1024

interface Cursor {
  readonly text: string
  at: number
}

/** Renders an item of an array, which is never null. */
type RenderItem = (item: string) => Iterable<string>

/** Renders `{a,"b c",NULL,{…}}` as JSON. Bounds in front, as in `[0:1]={a,b}`, are left out. */
export function* arrayJson(text: string, renderItem: RenderItem): Generator<string, void> {
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
export function* parseRecord(text: string): Generator<string, (string | null)[]> {
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
