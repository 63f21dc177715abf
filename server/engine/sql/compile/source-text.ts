/**
 * The text of a caller: its bytes and characters, the parts of names in it, its edits, and the refusal of a text. Nothing here loads the
 * parser.
 */

/** Why the service does not run a text. The message has the form of PostgreSQL's messages. */
export class SqlRefused extends Error {
  constructor(
    message: string,
    /** The place in the caller's text, in characters from 1. Null when no part of the text is the cause. */
    readonly position: number | null = null,
    readonly hint: string | null = null,
  ) {
    super(message)
  }
}

/**
 * The text of a caller. The parser counts bytes of UTF-8, PostgreSQL and the callers count characters; all offsets here are
 * bytes from 0, all positions characters from 1.
 */
export interface SourceText {
  readonly text: string
  readonly bytes: Uint8Array
  /** The error for the part of the text at an offset. */
  refusal(message: string, offset: number | null, hint?: string | null): SqlRefused
}

export function createSourceText(text: string): SourceText {
  const bytes = new TextEncoder().encode(text)
  return {
    text,
    bytes,
    refusal: (message, offset, hint = null) =>
      new SqlRefused(message, offset === null ? null : countCharacters(bytes, 0, offset) + 1, hint),
  }
}

/** Counts the characters that begin in a part of UTF-8. */
function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let offset = start; offset < end; offset++) if (((bytes[offset] ?? 0) & 0xc0) !== 0x80) count++
  return count
}

// The parts of a qualified name, such as `objects . "people"`, from the offset at which the tree says it begins.

export interface Part {
  readonly start: number
  readonly end: number
}

const [DOT, QUOTE, AND, SLASH, STAR, MINUS, NEWLINE, RETURN] = [...'."&/*-\n\r'].map((sign) => sign.charCodeAt(0))

/** The first `count` parts. Undefined when the text has another form there, such as `U&"…"`. */
export function findParts(bytes: Uint8Array, start: number, count: number): Part[] | undefined {
  const parts: Part[] = []
  let offset = start
  while (parts.length < count) {
    const end = endOfIdentifier(bytes, offset)
    if (end === offset) return undefined
    parts.push({ start: offset, end })
    if (parts.length === count) break
    const dot = skipSpace(bytes, end)
    if (bytes[dot] !== DOT) return undefined
    offset = skipSpace(bytes, dot + 1)
  }
  return parts
}

/** Returns `start` where no identifier begins. */
function endOfIdentifier(bytes: Uint8Array, start: number): number {
  let offset = start
  if (bytes[offset] !== QUOTE) {
    while (isWord(bytes[offset])) offset++
    return bytes[offset] === AND && bytes[offset + 1] === QUOTE ? start : offset
  }
  for (offset++; offset < bytes.length; offset++) {
    if (bytes[offset] !== QUOTE) continue
    if (bytes[offset + 1] !== QUOTE) return offset + 1
    offset++
  }
  return start
}

/** Letters, digits, `_`, `$` and every byte of characters beyond ASCII. */
const isWord = (byte = 0): boolean => byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte))

/** Skips white space and comments, which may be nested. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let offset = start
  for (;;) {
    const [byte, next] = [bytes[offset], bytes[offset + 1]]
    if (byte === MINUS && next === MINUS) offset = endOfLine(bytes, offset)
    else if (byte === SLASH && next === STAR) offset = endOfComment(bytes, offset)
    else if (byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)) offset++
    else return offset
  }
}

function endOfLine(bytes: Uint8Array, start: number): number {
  let offset = start
  while (offset < bytes.length && bytes[offset] !== NEWLINE && bytes[offset] !== RETURN) offset++
  return offset
}

function endOfComment(bytes: Uint8Array, start: number): number {
  let depth = 0
  let offset = start
  while (offset < bytes.length) {
    const [byte, next] = [bytes[offset], bytes[offset + 1]]
    if (byte === SLASH && next === STAR) depth++
    else if (byte === STAR && next === SLASH) depth--
    else {
      offset++
      continue
    }
    offset += 2
    if (depth === 0) return offset
  }
  return offset
}

// Edits of the text. Everything between the edits stays as it is, and positions of the result map back to the caller's text.

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface EditedText {
  readonly text: string
  /** Null for a position in a text that an edit inserted. */
  toCallerPosition(position: number): number | null
}

/** A part of the result, in characters. */
interface Segment {
  readonly from: number
  readonly length: number
  /** The position in the caller's text of its first character; of all its characters if it replaces a name. */
  readonly origin: number | null
  readonly isCopy: boolean
}

/** `end`: the offset at which the text ends. Edits do not overlap; of two at one offset the first given comes first. */
export function applyEdits(source: SourceText, end: number, edits: readonly Edit[]): EditedText {
  const segments: Segment[] = []
  const texts: string[] = []
  let [position, origin, offset] = [1, 1, 0]
  const add = (text: string, segment: Omit<Segment, 'from'>) => {
    texts.push(text)
    segments.push({ from: position, ...segment })
    position += segment.length
  }
  const copyTo = (until: number) => {
    const length = countCharacters(source.bytes, offset, until)
    add(decoder.decode(source.bytes.subarray(offset, until)), { length, origin, isCopy: true })
    origin += length
    offset = until
  }
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    copyTo(edit.start)
    const isReplacement = edit.end > edit.start
    add(edit.text, { length: [...edit.text].length, origin: isReplacement ? origin : null, isCopy: false })
    origin += countCharacters(source.bytes, edit.start, edit.end)
    offset = edit.end
  }
  copyTo(end)
  return { text: texts.join(''), toCallerPosition: (wanted) => findOrigin(segments, wanted) }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The position behind the last character belongs to the last part: PostgreSQL names it for an unexpected end. */
function findOrigin(segments: readonly Segment[], position: number): number | null {
  const segment = segments.findLast(({ from, length }) => from <= position && length > 0)
  if (segment === undefined || segment.origin === null) return null
  if (!segment.isCopy) return segment.origin
  return segment.origin + Math.min(position - segment.from, segment.length)
}
