/** The text of a note in blocks, as the editor of the console shows it. See docs/decisions/notes.md. */

import { Type } from 'typebox'
import type { Block as StoredBlock, BlockDocument, Line as StoredLine } from '#base/text/block-document/document'

const Span = Type.Object({
  text: Type.String(),
  marks: Type.Optional(Type.Array(Type.Enum(['bold', 'italic', 'strikethrough', 'highlight']))),
  link: Type.Optional(Type.String()),
})

/** A text without marks and links is a string. */
const Line = Type.Union([Type.String(), Type.Array(Span)])
export type NoteLine = StoredLine

/** A line alone is a paragraph. */
const Block = Type.Union([
  Line,
  Type.Object({ heading: Type.Integer({ minimum: 1, maximum: 3 }), text: Line }),
  Type.Object({ item: Type.Enum(['bullet', 'number']), indent: Type.Integer({ minimum: 0, maximum: 8 }), text: Line }),
])
export type NoteBlock = StoredBlock

export const NoteDocument = Type.Object({ blocks: Type.Array(Block) })
export interface NoteDocument {
  readonly blocks: BlockDocument
}
