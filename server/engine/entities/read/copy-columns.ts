/** Copies the values of attributes into JSON from the columns that PostgreSQL sent. See docs/decisions/pages.md. */

import type { RowMessage } from '#db/driver/row-messages'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { PlainOutput, PlainTexts } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { LaidOutAttribute, Row } from '#engine/storage/layout'
import type { ByteWriter, CopyValue } from '#base/text/byte-writer'
import type { ByteSpan } from '#base/text/copy-bytes'

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
  if (attribute.is_multiselect || attribute.stored_in === 'partner' || attribute.hiddenTargets !== undefined)
    return undefined
  const { plainOutput, plainTexts } = attributeType(attribute.type)
  const [first = -1, ...others] = positions
  const end = `,"attribute_type":"${attribute.type}"`
  if (plainOutput !== undefined) {
    const write: WriteCopy = (writer, before, message) =>
      areNull(message.lengths, others) && COPY[plainOutput](writer)(before, spanOf(message, first))
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
export const spanOf = ({ bytes, starts, lengths }: RowMessage, position: number): ByteSpan => ({
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
      if (message.lengths[position] !== -1) spans[member] = spanOf(message, position)
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
