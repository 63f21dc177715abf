/** Edits a caller's text and maps positions of the result back to it. Everything between the edits stays as it is. */

import { countCharacters, type SourceText } from './parse/parse-text'

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
