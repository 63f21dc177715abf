/** Where a delimiter of a mark is read as one. The rules are those of CommonMark for left- and right-flanking delimiter runs. */

import type { MarkName } from './spans'

export interface Delimiter {
  readonly mark: MarkName
  /** The span with which the mark begins. */
  readonly index: number
  readonly isOpening: boolean
}

/** A part of a line as it is written: a delimiter, or a text with its escapes. */
export interface Part {
  readonly text: string
  readonly delimiter?: Delimiter
}

const SPACE_PATTERN = /^\s?$/u
const PUNCTUATION_PATTERN = /^[\p{P}\p{S}]$/u

/** The first delimiter that would be read as text. */
export function findUnread(parts: readonly Part[]): Delimiter | undefined {
  for (const [index, { delimiter }] of parts.entries()) {
    if (delimiter !== undefined && !isRead(parts, index, delimiter)) return delimiter
  }
  return undefined
}

function isRead(parts: readonly Part[], index: number, { isOpening }: Delimiter): boolean {
  const { first, last } = runAround(parts, index)
  // A run that closes one mark and opens another one is ambiguous.
  const isMixed = parts.slice(first, last + 1).some(({ delimiter }) => delimiter?.isOpening !== isOpening)
  if (isMixed) return false
  const before = [...(parts[first - 1]?.text ?? '')].at(-1) ?? ''
  const [after = ''] = parts[last + 1]?.text ?? ''
  // Bold and italic text have the same character: within the other one, a delimiter must not be read as its end.
  const isAmbiguous = mayFlank(before, after) && mayFlank(after, before) && parts[index]?.text.startsWith('*')
  if (isAmbiguous && isWithinOther(parts, first, last)) return false
  return isOpening ? isFlanking(before, after) : isFlanking(after, before)
}

const ASTERISK_MARKS: readonly MarkName[] = ['bold', 'italic']

/** Whether bold and italic are both open at a run or in it. */
function isWithinOther(parts: readonly Part[], first: number, last: number): boolean {
  const open = new Set<MarkName>()
  for (const { delimiter } of parts.slice(0, first)) {
    if (delimiter?.isOpening) open.add(delimiter.mark)
    else if (delimiter) open.delete(delimiter.mark)
  }
  for (const { delimiter } of parts.slice(first, last + 1)) if (delimiter) open.add(delimiter.mark)
  return ASTERISK_MARKS.every((mark) => open.has(mark))
}

/** The delimiters of the same character that are next to each other. */
function runAround(parts: readonly Part[], index: number): { first: number; last: number } {
  const character = parts[index]?.text.charAt(0)
  const isOfRun = (at: number): boolean =>
    parts[at]?.delimiter !== undefined && parts[at].text.startsWith(character ?? '')
  let [first, last] = [index, index]
  while (isOfRun(first - 1)) first--
  while (isOfRun(last + 1)) last++
  return { first, last }
}

/** Whether a delimiter between these characters can be on the side of `inside`. */
const isFlanking = (outside: string, inside: string): boolean =>
  !SPACE_PATTERN.test(inside) &&
  (!PUNCTUATION_PATTERN.test(inside) || SPACE_PATTERN.test(outside) || isSurePunctuation(outside))

/** The same, if symbols such as emoji count as letters. Parsers differ in this. */
const mayFlank = (outside: string, inside: string): boolean =>
  !SPACE_PATTERN.test(inside) &&
  (!isSurePunctuation(inside) || SPACE_PATTERN.test(outside) || PUNCTUATION_PATTERN.test(outside))

const isSurePunctuation = (character: string): boolean => character.length === 1 && PUNCTUATION_PATTERN.test(character)
