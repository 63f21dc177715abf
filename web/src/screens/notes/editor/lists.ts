/** Keeps the items of lists at indents that markdown can express, and shows the numbers of numbered items. */

import type { Node } from 'prosemirror-model'
import { type EditorState, Plugin, type Transaction } from 'prosemirror-state'
import { Decoration, DecorationSet } from 'prosemirror-view'
import { ListLevels } from './list-levels'
import { schema } from './schema'

/** Items that are too deep after a change move out, and numbered items show their numbers. */
export const lists = (): Plugin<DecorationSet> =>
  new Plugin<DecorationSet>({
    state: {
      init: (_config, { doc }) => numbersOf(doc),
      apply: (tr, numbers) => (tr.docChanged ? numbersOf(tr.doc) : numbers),
    },
    props: {
      decorations(state) {
        return this.getState(state)
      },
    },
    appendTransaction: (transactions, _before, state) =>
      transactions.some(({ docChanged }) => docChanged) ? clampIndents(state) : null,
  })

function numbersOf(doc: Node): DecorationSet {
  const levels = new ListLevels()
  const shown: Decoration[] = []
  doc.forEach((block, at) => {
    const { marker } = levels.next(block)
    if (block.attrs.kind === 'number') shown.push(Decoration.node(at, at + block.nodeSize, { 'data-number': marker }))
  })
  return DecorationSet.create(doc, shown)
}

function clampIndents({ doc, tr }: EditorState): Transaction | null {
  const levels = new ListLevels()
  doc.forEach((block, at) => {
    if (block.type === schema.nodes.item) {
      const indent = levels.clamp(block.attrs.indent)
      if (indent !== block.attrs.indent) tr.setNodeMarkup(at, null, { ...block.attrs, indent })
    }
    levels.next(block)
  })
  return tr.docChanged ? tr : null
}
