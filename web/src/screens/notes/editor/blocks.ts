/** Makes a document of the editor of the blocks that the service stores. */

import type { Mark, Node } from 'prosemirror-model'
import { splitImages } from '#vocabulary/note-images'
import type { NoteBlock, NoteLine } from '../../../api/notes/notes'
import { schema } from './schema'

const { doc, paragraph, heading, item } = schema.nodes

export const documentFrom = (blocks: readonly NoteBlock[]): Node =>
  doc.create(null, blocks.length === 0 ? [paragraph.create()] : blocks.map(nodeFrom))

function nodeFrom(block: NoteBlock): Node {
  if (typeof block === 'string' || 'length' in block) return paragraph.create(null, textsFrom(block))
  if ('heading' in block) return heading.create({ level: block.heading }, textsFrom(block.text))
  return item.create({ kind: block.item, indent: block.indent }, textsFrom(block.text))
}

function textsFrom(line: NoteLine): Node[] {
  if (typeof line === 'string') return nodesIn(line, [])
  return line.flatMap(({ text, marks = [], link }) => {
    const all: Mark[] = marks.map((name) => schema.marks[name].create())
    if (link !== undefined) all.push(schema.marks.link.create({ href: link }))
    return nodesIn(text, all)
  })
}

const nodesIn = (text: string, marks: readonly Mark[]): Node[] =>
  splitImages(text).map((part) =>
    typeof part === 'string' ? schema.text(part, marks) : schema.nodes.image.create({ ...part }, null, marks),
  )
