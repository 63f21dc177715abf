/**
 * The text of a caller. The parser counts bytes of UTF-8, PostgreSQL and the callers count characters; all offsets here are
 * bytes from 0, all positions characters from 1.
 */

import { SqlRefused } from '#engine/sql/compile/sql-refused'

export interface SourceText {
  readonly text: string
  readonly bytes: Uint8Array
  /** The position of the character at an offset. */
  positionAt(offset: number): number
  /** The error for the part of the text at an offset. */
  refusal(message: string, offset: number | null, hint?: string | null): SqlRefused
}

export function createSourceText(text: string): SourceText {
  const bytes = new TextEncoder().encode(text)
  const positionAt = (offset: number) => countCharacters(bytes, 0, offset) + 1
  return {
    text,
    bytes,
    positionAt,
    refusal: (message, offset, hint = null) =>
      new SqlRefused(message, offset === null ? null : positionAt(offset), hint),
  }
}

/** Counts the characters that begin in a part of UTF-8. */
export function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let offset = start; offset < end; offset++) if (((bytes[offset] ?? 0) & 0xc0) !== 0x80) count++
  return count
}
