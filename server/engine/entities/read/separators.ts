/** The bytes between the values of two attributes. They are joined once, and then copied for each entity. */

import type { ColumnCopy } from './copy-columns'
import type { CreatedHead } from './value-head'

/** The attributes count from 1; 0 is the start, one more than the last the end. `isFromCopied` tells how the first value was written. */
export interface Separators {
  /** Ends the first value and its attribute, and begins the second attribute. The last separator also closes the entity. */
  plain(from: number, isFromCopied: boolean, to: number): Uint8Array
  /** The same, with the beginning of the second value, which is copied. Valid until the next call. */
  withHead(from: number, isFromCopied: boolean, to: number, head: CreatedHead): Uint8Array
}

/** Rows of entity types with many attributes have more combinations than the caches should hold. */
const MAX_SEPARATORS = 1000

/** `between` gives the text between two attributes without the end of a copied value. */
export function compileSeparators(
  copies: readonly (ColumnCopy | undefined)[],
  between: (from: number, to: number) => string,
): Separators {
  const keyOf = (from: number, isFromCopied: boolean, to: number): number =>
    2 * (from * (copies.length + 2) + to) + Number(isFromCopied)
  const textOf = (from: number, isFromCopied: boolean, to: number): string => {
    const end = isFromCopied ? (copies[from - 1]?.end ?? '') : ''
    return end + between(from, to) + (to > copies.length ? '}' : '')
  }

  const plain = new Map<number, Uint8Array>()
  const withHead = new Map<number, JoinedSeparator>()
  return {
    plain(from, isFromCopied, to) {
      const key = keyOf(from, isFromCopied, to)
      const cached = plain.get(key)
      if (cached) return cached
      const bytes = Buffer.from(textOf(from, isFromCopied, to))
      if (plain.size < MAX_SEPARATORS) plain.set(key, bytes)
      return bytes
    },
    withHead(from, isFromCopied, to, head) {
      const key = keyOf(from, isFromCopied, to)
      const cached = withHead.get(key)
      if (cached && replaceHead(cached, head)) return cached.bytes
      const joined = join(textOf(from, isFromCopied, to), head, copies[to - 1]?.opening ?? '')
      if (cached || withHead.size < MAX_SEPARATORS) withHead.set(key, joined)
      return joined.bytes
    },
  }
}

/** A separator, the beginning of a value, and the opening of a copy. */
interface JoinedSeparator {
  readonly bytes: Uint8Array
  readonly headAt: number
  readonly headLength: number
  /** The version of the beginning. */
  version: number
}

function join(separator: string, head: CreatedHead, opening: string): JoinedSeparator {
  const before = Buffer.from(separator)
  return {
    bytes: Buffer.concat([before, head.bytes, Buffer.from(opening)]),
    headAt: before.length,
    headLength: head.bytes.length,
    version: head.version,
  }
}

/** Returns false when the beginning has another length. */
function replaceHead(joined: JoinedSeparator, { version, bytes }: CreatedHead): boolean {
  if (joined.version === version) return true
  if (joined.headLength !== bytes.length) return false
  joined.bytes.set(bytes, joined.headAt)
  joined.version = version
  return true
}
