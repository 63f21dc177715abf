/**
 * Builds UTF-8 text in memory that later texts use again. A page has hundreds of kilobytes, and to allocate them for each page
 * takes longer than to write them.
 */

import { copyDecimal, copyInstant, copyJsonString, copyWord, type ByteSpan } from './copy-bytes'

/** Appends `before` and the copied value. Returns false, and appends nothing, when the value needs another form. */
export type CopyValue = (before: Uint8Array, value: ByteSpan) => boolean

export interface ByteWriter {
  /** Appends bytes. */
  bytes(piece: Uint8Array): void
  text(text: string): void
  /** Appends bytes of digits and letters as they are, such as an id. */
  readonly word: CopyValue
  /** Appends UTF-8 text as a JSON string. Long texts and those with characters to escape need another form. */
  readonly jsonString: CopyValue
  /** Appends a decimal number. `1e+15`, `NaN` and `-0` need another form. */
  readonly decimal: CopyValue
  /** Appends a timestamp that PostgreSQL printed in UTC as a JSON string. Years before 1 and after 9999 need another form. */
  readonly instant: CopyValue
  /** The number of bytes. */
  readonly length: number
  /** Removes what was appended behind this number of bytes. */
  truncate(length: number): void
  /** Returns all that was appended. The bytes are valid until the writer is released. */
  written(): Uint8Array<ArrayBuffer>
  /** Lets another writer use the memory. A writer that is never released is collected as garbage. */
  release(): void
}

const INITIAL_BYTES = 64 * 1024
/** The memory of a longer text is not used again. */
const MAX_RETAINED_BYTES = 4 * 1024 * 1024
const MAX_FREE = 4
/** The memory of released writers. */
const free: Buffer<ArrayBuffer>[] = []

/** A shorter text is not measured before it is encoded. */
const MAX_UNMEASURED_LENGTH = 1024
/** Longer values are encoded faster by the runtime. */
const MAX_COPIED_BYTES = 256
/** The most bytes by which a copy is longer than its value. */
const MAX_ADDED_BYTES = 16

export function openByteWriter(): ByteWriter {
  let memory = free.pop() ?? Buffer.allocUnsafeSlow(INITIAL_BYTES)
  let at = 0

  const reserve = (bytes: number): void => {
    if (at + bytes <= memory.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (at + bytes))
    larger.set(memory.subarray(0, at))
    memory = larger
  }
  const copyWith =
    (copy: (to: Uint8Array, at: number, value: ByteSpan) => number): CopyValue =>
    (before, value) => {
      if (value.length > MAX_COPIED_BYTES) return false
      reserve(before.length + value.length + MAX_ADDED_BYTES)
      const end = copy(memory, at + before.length, value)
      if (end < 0) return false
      memory.set(before, at)
      at = end
      return true
    }

  return {
    bytes(piece) {
      reserve(piece.length)
      memory.set(piece, at)
      at += piece.length
    },
    text(text) {
      // A UTF-16 unit takes at most three bytes.
      reserve(text.length > MAX_UNMEASURED_LENGTH ? Buffer.byteLength(text) : 3 * text.length)
      at += memory.write(text, at)
    },
    word: copyWith(copyWord),
    jsonString: copyWith(copyJsonString),
    decimal: copyWith(copyDecimal),
    instant: copyWith(copyInstant),
    get length() {
      return at
    },
    truncate: (length) => void (at = length),
    written: () => memory.subarray(0, at),
    release() {
      if (memory.length <= MAX_RETAINED_BYTES && free.length < MAX_FREE) free.push(memory)
      memory = NOTHING
      at = 0
    },
  }
}

const NOTHING = Buffer.alloc(0)
