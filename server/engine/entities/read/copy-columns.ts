/** Copies the values of attributes into JSON from the columns that PostgreSQL sent. See docs/decisions/pages.md. */

import type { RowMessage } from '#db/driver/row-messages'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { PlainOutput, PlainTexts } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { type LaidOutAttribute, POSITION, type Row } from '#engine/storage/layout'
import type { ByteWriter, CopyValue } from '#base/text/byte-writer'
import { type ByteSpan, copyInstant } from '#base/text/copy-bytes'

/** Appends `before` and a copy. Returns false, and appends nothing, when the value needs another form. */
type WriteCopy = (writer: ByteWriter, before: Uint8Array, message: RowMessage) => boolean

/** How the values of an attribute are copied. */
export interface ColumnCopy {
  /** What stands between the beginning of a value and the copy. */
  readonly opening: string
  /** What follows the copy before the brace that closes the value. */
  readonly end: string
  readonly write: WriteCopy
}

const COPY = {
  string: (writer) => writer.jsonString,
  number: (writer) => writer.decimal,
  instant: (writer) => writer.instant,
} satisfies Record<PlainOutput, (writer: ByteWriter) => CopyValue>

/**
 * `render` renders the members of a value from a row with its columns. Returns undefined for an attribute whose values are not
 * copied.
 */
export function compileCopy(laidOut: LaidOutAttribute, render: (row: Row) => string): ColumnCopy | undefined {
  const { attribute, positions } = laidOut
  if (attribute.is_multiselect || laidOut.stored === undefined || attribute.hiddenTargets !== undefined)
    return undefined
  const { plainOutput, plainTexts } = attributeType(attribute.type)
  const [first = -1, ...others] = positions
  const end = `,"attribute_type":"${attribute.type}"`
  if (plainOutput !== undefined) {
    const write: WriteCopy = (writer, before, message) =>
      areNull(message.lengths, others) && COPY[plainOutput](writer)(before, columnSpan(message, first))
    return { opening: ',"value":', end, write }
  }
  if (plainTexts !== undefined && positions.length === columnsOf(attribute).length)
    return { opening: ',', end, write: copyTexts(plainTexts, laidOut) }
  return isNumbered(laidOut) ? { opening: '', end: '', write: copyNumbered(first, render) } : undefined
}

export function areNull(lengths: Int32Array, positions: readonly number[]): boolean {
  for (const position of positions) if (lengths[position] !== -1) return false
  return true
}

/** The bytes of a column that is not null. */
export const columnSpan = ({ bytes, starts, lengths }: RowMessage, position: number): ByteSpan => ({
  bytes,
  start: starts[position] ?? 0,
  length: lengths[position] ?? 0,
})

function copyTexts({ members, parts }: PlainTexts<string>, { attribute, positions }: LaidOutAttribute): WriteCopy {
  const columns = columnsOf(attribute).map(({ member }, index) => ({ member, position: positions[index] ?? -1 }))
  const names = members.map((member, index) => Buffer.from(`${index === 0 ? '' : ','}"${member}":`))
  return (writer, before, message) => {
    const spans: Record<string, ByteSpan> = {}
    for (const { member, position } of columns)
      if (message.lengths[position] !== -1) spans[member] = columnSpan(message, position)
    const texts = parts(spans)
    if (texts === undefined) return false
    const start = writer.length
    writer.bytes(before)
    for (let index = 0; index < names.length; index++) {
      const [name, text] = [names[index], texts[index]]
      if (name && text && writer.jsonString(name, text)) continue
      writer.truncate(start)
      return false
    }
    return true
  }
}

/** Whether a value consists of one number, such as that of an option or an actor. */
function isNumbered({ attribute, positions }: LaidOutAttribute): boolean {
  const [only, ...others] = columnsOf(attribute)
  return positions.length === 1 && others.length === 0 && only?.sqlType === 'int'
}

/** Attributes with more options are rendered each time. */
const MAX_NUMBERED = 500
const MAX_DIGITS = 9
const ZERO = 0x30
const NINE = 0x39

/** Copies what was rendered for the same number before. */
function copyNumbered(position: number, render: (row: Row) => string): WriteCopy {
  const rendered = new Map<number, Uint8Array>()
  return (writer, before, message) => {
    const number = readDigits(message, position)
    if (number === undefined) return false
    let bytes = rendered.get(number)
    if (bytes === undefined) {
      const row: unknown[] = []
      row[position] = number
      bytes = Buffer.from(render(row))
      if (rendered.size < MAX_NUMBERED) rendered.set(number, bytes)
    }
    writer.bytes(before)
    writer.bytes(bytes)
    return true
  }
}

/** Undefined for a number that is negative or long. */
function readDigits({ bytes, starts, lengths }: RowMessage, position: number): number | undefined {
  const start = starts[position] ?? 0
  const length = lengths[position] ?? 0
  if (length > MAX_DIGITS) return undefined
  let number = 0
  for (let index = start; index < start + length; index++) {
    const byte = bytes[index] ?? 0
    if (byte < ZERO || byte > NINE) return undefined
    number = 10 * number + byte - ZERO
  }
  return number
}

// The beginning of values that were created with their entity, as bytes.

/** The beginning, which the next row may change. */
export interface CreatedHead {
  /** Changes with the bytes. */
  readonly version: number
  readonly bytes: Uint8Array
  text(): string
}

const BEFORE_INSTANT = '{"active_from":'.length
const INSTANT_LENGTH = '"2025-07-22T15:07:00.895000000Z"'.length
const COMMA = 0x2c

/**
 * Returns a function that gives the beginning for a row. Rows of an import have the same one, and others of the same actor
 * differ in the time only. `render` gives the text for PostgreSQL's text of the time and for the number of the actor.
 */
export function compileCreatedHead(
  render: (createdAt: string, createdBy: number) => string,
): (message: RowMessage) => CreatedHead {
  const createdAt = createMemo(POSITION.created_at)
  const createdBy = createMemo(POSITION.created_by)
  let isComplete = false
  let bytes = Buffer.alloc(0)
  let text: string | undefined
  const head = { version: 0, bytes, text: () => (text ??= bytes.toString()) }

  return (message) => {
    const isSameTime = createdAt.isSame(message)
    const isSameActor = createdBy.isSame(message) && isComplete
    if (isSameTime && isSameActor) return head
    isComplete = false // until the end, because an unknown actor throws
    text = undefined
    if (!isSameActor || !replaceInstant(bytes, message)) {
      const [at, by] = [message.value(POSITION.created_at), message.value(POSITION.created_by)]
      text = render(at as string, by as number) // timestamptz comes as text, int as a number
      head.bytes = bytes = Buffer.from(text)
    }
    head.version++
    isComplete = true
    return head
  }
}

const instant = Buffer.alloc(2 * INSTANT_LENGTH)

/** Returns false, and changes nothing, when this time or the one before has another length. */
function replaceInstant(head: Buffer, { bytes, starts, lengths }: RowMessage): boolean {
  const value = { bytes, start: starts[POSITION.created_at] ?? 0, length: lengths[POSITION.created_at] ?? 0 }
  if (head[BEFORE_INSTANT + INSTANT_LENGTH] !== COMMA || value.length > INSTANT_LENGTH) return false
  if (copyInstant(instant, 0, value) !== INSTANT_LENGTH) return false
  for (let index = 0; index < INSTANT_LENGTH; index++) head[BEFORE_INSTANT + index] = instant[index] ?? 0
  return true
}

/** A longer column is never the same as the one before. */
const MAX_MEMORISED = 40

/** Compares a column with the same column of the row before. */
function createMemo(position: number) {
  const before = new Uint8Array(MAX_MEMORISED)
  let lengthBefore = -1
  return {
    isSame({ bytes, starts, lengths }: RowMessage): boolean {
      const start = starts[position] ?? 0
      const length = lengths[position] ?? 0
      let isSame = length >= 0 && length === lengthBefore
      lengthBefore = length > MAX_MEMORISED ? -1 : length
      for (let index = 0; index < lengthBefore; index++) {
        const byte = bytes[start + index] ?? 0
        if (before[index] === byte) continue
        before[index] = byte
        isSame = false
      }
      return isSame
    },
  }
}

// The bytes between the values of two attributes. They are joined once, and then copied for each entity.

/** The attributes count from 1; 0 is the start, one more than the last the end. `isFromCopied` tells how the first value was written. */
interface Separators {
  /** Ends the first value and its attribute, and begins the second attribute. The last separator also closes the entity. */
  plain(from: number, isFromCopied: boolean, to: number): Uint8Array
  /** The same, with the beginning of the second value, which is copied. Valid until the next call. */
  withHead(from: number, isFromCopied: boolean, to: number, head: CreatedHead): Uint8Array
}

/** Rows of entity types with many attributes have more combinations than the caches should hold. */
const MAX_SEPARATORS = 1000

/** `copyAt` gives the copy of an attribute, from 0 to `count`, and `between` the text between two attributes without the end of a copied value. */
export function compileSeparators(
  count: number,
  copyAt: (index: number) => ColumnCopy | undefined,
  between: (from: number, to: number) => string,
): Separators {
  const keyOf = (from: number, isFromCopied: boolean, to: number): number =>
    2 * (from * (count + 2) + to) + Number(isFromCopied)
  const textOf = (from: number, isFromCopied: boolean, to: number): string => {
    const end = isFromCopied ? (copyAt(from - 1)?.end ?? '') : ''
    return end + between(from, to) + (to > count ? '}' : '')
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
      const joined = join(textOf(from, isFromCopied, to), head, copyAt(to - 1)?.opening ?? '')
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
