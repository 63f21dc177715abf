/** Reads the texts of PostgreSQL's arrays and composite values. */

export type ArrayItem = string | null | readonly ArrayItem[]

interface Cursor {
  readonly text: string
  at: number
}

/** Parses `{a,"b c",NULL,{…}}`. Bounds in front, as in `[0:1]={a,b}`, are left out. */
export function parseArrayLiteral(text: string): readonly ArrayItem[] {
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0
  return readArray({ text, at: start })
}

function readArray(cursor: Cursor): ArrayItem[] {
  const { text } = cursor
  const items: ArrayItem[] = []
  cursor.at++
  if (text[cursor.at] === '}') {
    cursor.at++
    return items
  }
  for (;;) {
    items.push(readItem(cursor))
    const end = text[cursor.at++]
    if (end !== ',') return items
  }
}

function readItem(cursor: Cursor): ArrayItem {
  const { text } = cursor
  if (text[cursor.at] === '{') return readArray(cursor)
  if (text[cursor.at] === '"') return readQuoted(cursor)
  const start = cursor.at
  while (cursor.at < text.length && text[cursor.at] !== ',' && text[cursor.at] !== '}') cursor.at++
  const item = text.slice(start, cursor.at)
  return item === 'NULL' ? null : item
}

/** Parses `(a,"b c",)`. A field without text is null. */
export function parseRecordLiteral(text: string): (string | null)[] {
  const cursor: Cursor = { text, at: 1 }
  const fields: (string | null)[] = []
  for (;;) {
    fields.push(readField(cursor))
    if (text[cursor.at++] !== ',') return fields
  }
}

function readField(cursor: Cursor): string | null {
  const { text } = cursor
  const end = text[cursor.at]
  if (end === ',' || end === ')' || end === undefined) return null
  if (end === '"') return readQuoted(cursor)
  const start = cursor.at
  while (cursor.at < text.length && text[cursor.at] !== ',' && text[cursor.at] !== ')') cursor.at++
  return text.slice(start, cursor.at)
}

/** Arrays escape a quotation mark with a backslash, and composite values double it. */
function readQuoted(cursor: Cursor): string {
  const { text } = cursor
  let value = ''
  let start = ++cursor.at
  for (;;) {
    const character = text[cursor.at]
    if (character === '\\' || (character === '"' && text[cursor.at + 1] === '"')) {
      value += text.slice(start, cursor.at)
      start = cursor.at + 1
      cursor.at += 2
    } else if (character === '"' || character === undefined) {
      value += text.slice(start, cursor.at)
      cursor.at++
      return value
    } else cursor.at++
  }
}
