/** Reads the Range header. RFC 9110, 14. */

import type { ByteRange } from '#crm/blobs/byte-storage'

/** Longer headers name several ranges, for which the whole file is a valid answer. */
const MAX_LENGTH = 100
const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/

/**
 * Returns the range that a header names; undefined when the whole file is the answer: without a header, for several ranges and
 * for other units. A range that contains no byte of the file is `unsatisfiable`.
 */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (header === null || header.length > MAX_LENGTH) return undefined
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header.replaceAll(' ', '')) ?? []
  if (first === '' && last === '') return undefined
  const range = first === '' ? suffixOf(Number(last), size) : { start: Number(first), end: endOf(last, size) }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return range.start < range.end ? range : 'unsatisfiable'
}

const suffixOf = (length: number, size: number): ByteRange => ({ start: Math.max(size - length, 0), end: size })

const endOf = (last: string, size: number): number => (last === '' ? size : Math.min(Number(last) + 1, size))
