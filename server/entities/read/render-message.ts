/**
 * Renders an entity from the message in which PostgreSQL sent its row. Values of plain types are copied byte by byte; all
 * others are decoded and rendered as text. Decision 0116.
 */

import type { RowMessage } from '../../../db/driver/row-messages'
import type { PlainOutput } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import type { LaidOutAttribute, Row } from '../../storage/layout'
import { isAsCreated, type Provenance } from '../../storage/provenance'
import type { ByteWriter, CopyValue } from '../../text/byte-writer'

/** An attribute and the function that renders its values as text. */
export interface RenderedAttribute {
  readonly laidOut: LaidOutAttribute
  /** The values without their brackets and the last brace. Values that were created with the entity begin with `createdHead`. */
  render(row: Row, createdHead: string, provenance: Provenance | null): string
}

/** What the values of one entity share. */
export interface EntityHead {
  /** The decoded columns, to which the renderer adds those of the values that it renders as text. */
  readonly row: unknown[]
  readonly provenance: Provenance | null
  /** The beginning of values that were created with the entity. */
  readonly createdHead: string
}

/** The beginning of a plain value, which consists of a time and an actor. */
const plainHeadMemory = Buffer.allocUnsafe(1024)

/**
 * Returns a function that appends the text `before` the values, the values, and a closing brace. `between` gives the text
 * between the values of two attributes.
 */
export function compileMessageRenderer(
  attributes: readonly RenderedAttribute[],
  between: (from: number, to: number) => string,
): (writer: ByteWriter, before: string, message: RowMessage, head: EntityHead) => void {
  const compiled = attributes.map(compileAttribute)
  const separator = compileSeparators(compiled, between)
  return (writer, before, message, head) => {
    writer.text(before)
    const plainHead = plainHeadMemory.subarray(0, plainHeadMemory.write(`${head.createdHead},"value":`))
    let last = 0
    let isLastPlain = false
    for (let index = 0; index < compiled.length; index++) {
      const attribute = compiled[index]
      if (!attribute || attribute.isNull(message)) continue
      const isPlain = attribute.isPlain(message, head)
      if (!isPlain && attribute.isEmpty(message, head)) continue
      writer.bytes(separator(last, isLastPlain, index + 1))
      isLastPlain = isPlain && attribute.writePlain(writer, message, plainHead)
      if (!isLastPlain) writer.text(attribute.render(message, head))
      last = index + 1
    }
    writer.bytes(separator(last, isLastPlain, compiled.length + 1))
  }
}

interface CompiledAttribute {
  /** What follows a plain value. */
  readonly plainEnd: string
  /** Whether all columns are null. */
  isNull(message: RowMessage): boolean
  /** Whether the value may be copied. */
  isPlain(message: RowMessage, head: EntityHead): boolean
  isEmpty(message: RowMessage, head: EntityHead): boolean
  /** Returns false, and appends nothing, when the value cannot be copied. */
  writePlain(writer: ByteWriter, message: RowMessage, plainHead: Uint8Array): boolean
  render(message: RowMessage, head: EntityHead): string
}

const COPY = {
  string: (writer) => writer.jsonString,
  number: (writer) => writer.decimal,
  instant: (writer) => writer.instant,
} satisfies Record<PlainOutput, (writer: ByteWriter) => CopyValue>

function compileAttribute({ laidOut, render }: RenderedAttribute): CompiledAttribute {
  const { attribute } = laidOut
  const positions = laidOut.positions.filter((position) => position >= 0)
  const [first = 0, ...others] = positions
  const { plainOutput } = attributeType(attribute.type)
  const copyOf = attribute.is_multiselect || plainOutput === undefined ? undefined : COPY[plainOutput]
  const decode = (message: RowMessage, { row }: EntityHead): void => {
    for (const position of positions) row[position] = message.value(position)
  }
  return {
    plainEnd: `,"attribute_type":"${attribute.type}"`,
    isNull: ({ lengths }) => areNull(lengths, positions),
    isPlain: ({ lengths }, { provenance }) =>
      copyOf !== undefined && isAsCreated(provenance, attribute) && areNull(lengths, others),
    isEmpty(message, head) {
      decode(message, head)
      return laidOut.isEmpty(head.row)
    },
    writePlain(writer, { bytes, starts, lengths }, plainHead) {
      const content = { bytes, start: starts[first] ?? 0, length: lengths[first] ?? 0 }
      return copyOf?.(writer)(plainHead, content) ?? false
    },
    render(message, head) {
      if (head.row[first] === undefined) decode(message, head)
      return render(head.row, head.createdHead, head.provenance)
    },
  }
}

function areNull(lengths: Int32Array, positions: readonly number[]): boolean {
  for (const position of positions) if (lengths[position] !== -1) return false
  return true
}

/** Rows of entity types with many attributes have more combinations than the cache should hold. */
const MAX_SEPARATORS = 2000

/** Returns the cached bytes between the values of two attributes, with the end of a plain value and that of the entity. */
function compileSeparators(
  compiled: readonly CompiledAttribute[],
  between: (from: number, to: number) => string,
): (from: number, isFromPlain: boolean, to: number) => Uint8Array {
  const cache = new Map<number, Uint8Array>()
  return (from, isFromPlain, to) => {
    const key = 2 * (from * (compiled.length + 2) + to) + Number(isFromPlain)
    const cached = cache.get(key)
    if (cached) return cached
    const end = isFromPlain ? (compiled[from - 1]?.plainEnd ?? '') : ''
    const entityEnd = to > compiled.length ? '}' : ''
    const bytes = Buffer.from(end + between(from, to) + entityEnd)
    if (cache.size < MAX_SEPARATORS) cache.set(key, bytes)
    return bytes
  }
}
