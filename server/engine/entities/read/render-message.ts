/**
 * Renders an entity from the message in which PostgreSQL sent its row. Values that were created with their entity are copied
 * byte by byte where their type permits; all others are decoded and rendered as text. Decisions 0116 and 0131.
 */

import type { RowMessage } from '#db/driver/row-messages'
import type { LaidOutAttribute, Row } from '#engine/storage/layout'
import { isAsCreated, type Provenance } from '#engine/storage/provenance'
import type { ByteWriter } from '#base/text/byte-writer'
import { areNull, type ColumnCopy, compileCopy } from './copy-columns'
import { compileSeparators } from './separators'
import type { CreatedHead } from './value-head'

/** An attribute and the function that renders its values as text. */
export interface RenderedAttribute {
  readonly laidOut: LaidOutAttribute
  /** The values without their brackets and the last brace. Values that were created with the entity begin with `createdHead`. */
  render(row: Row, createdHead: string, provenance: Provenance | null): string
}

/** What the values of one entity share. */
export interface EntityHead {
  readonly provenance: Provenance | null
  /** The beginning of values that were created with the entity. */
  readonly created: CreatedHead
  /** Returns the decoded columns, to which the renderer adds those of the values that it renders as text. */
  row(): unknown[]
}

/** Appends the values of an entity, and a closing brace. */
type RenderValues = (writer: ByteWriter, message: RowMessage, head: EntityHead) => void

/** `between` gives the text between the values of two attributes. */
export function compileMessageRenderer(
  attributes: readonly RenderedAttribute[],
  between: (from: number, to: number) => string,
): RenderValues {
  const compiled = attributes.map(compileAttribute)
  const separators = compileSeparators(
    compiled.map(({ copy }) => copy),
    between,
  )
  return (writer, message, head) => {
    let last = 0
    let isLastCopied = false
    for (let index = 0; index < compiled.length; index++) {
      const attribute = compiled[index]
      if (!attribute || areNull(message.lengths, attribute.positions)) continue
      const { copy } = attribute
      const isCopied: boolean =
        copy !== undefined &&
        isAsCreated(head.provenance, attribute.laidOut.attribute) &&
        copy.write(writer, separators.withHead(last, isLastCopied, index + 1, head.created), message)
      if (!isCopied) {
        const text = renderText(attribute, message, head)
        if (text === undefined) continue
        writer.bytes(separators.plain(last, isLastCopied, index + 1))
        writer.text(text)
      }
      isLastCopied = isCopied
      last = index + 1
    }
    writer.bytes(separators.plain(last, isLastCopied, compiled.length + 1))
  }
}

interface CompiledAttribute extends RenderedAttribute {
  /** The positions of its columns in the row. */
  readonly positions: readonly number[]
  /** Undefined when its values are always rendered as text. */
  readonly copy: ColumnCopy | undefined
}

function compileAttribute({ laidOut, render }: RenderedAttribute): CompiledAttribute {
  const positions = laidOut.positions.filter((position) => position >= 0)
  return { laidOut, render, positions, copy: compileCopy(laidOut, (row) => render(row, '', null)) }
}

/** Returns undefined for an attribute without values. */
function renderText(
  { laidOut, render, positions }: CompiledAttribute,
  message: RowMessage,
  { row, created, provenance }: EntityHead,
): string | undefined {
  const columns = row()
  for (const position of positions) columns[position] = message.value(position)
  return laidOut.isEmpty(columns) ? undefined : render(columns, created.text(), provenance)
}
