/** What becomes of pasted text and HTML: the blocks, marks and links that the format has, and of everything else the text. */

import { Fragment, type Node, type ResolvedPos, Slice } from 'prosemirror-model'
import { Plugin } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { cleanHtml, LINE_SEPARATOR } from './clean-html'
import { setLink } from '../links'
import { isLinkTarget } from '../link-target'
import { schema } from '../schema'

/** A note has at most 1 MB. */
const MAX_LENGTH = 1_000_000

const LINE_END_PATTERN = /\r\n?|\n|\u2028/

export const paste = (refuse: (message: string) => void): Plugin =>
  new Plugin({
    props: {
      handlePaste(view, { clipboardData }) {
        const text = clipboardData?.getData('text/plain') ?? ''
        const html = clipboardData?.getData('text/html') ?? ''
        if (text.length > MAX_LENGTH || html.length > 3 * MAX_LENGTH) {
          refuse('This text is too long for a note.')
          return true
        }
        return linkSelection(view, text)
      },
      transformPastedHTML: cleanHtml,
      transformPasted: (slice) => new Slice(dividedAtSeparators(slice.content), slice.openStart, slice.openEnd),
      clipboardTextParser: linesOf,
    },
  })

/** A pasted address links the selected text. */
function linkSelection(view: EditorView, text: string): boolean {
  const { empty, $from, $to } = view.state.selection
  const target = text.trim()
  if (empty || !$from.sameParent($to) || !isLinkTarget(target)) return false
  return setLink(target)(view.state, view.dispatch)
}

function dividedAtSeparators(content: Fragment): Fragment {
  const blocks: Node[] = []
  content.forEach((block) => {
    if (!block.isTextblock || !block.textContent.includes(LINE_SEPARATOR)) blocks.push(block)
    else blocks.push(...partsOf(block))
  })
  return Fragment.from(blocks)
}

function partsOf(block: Node): Node[] {
  const lines: Node[][] = [[]]
  block.forEach((node) => {
    if (!node.isText) lines.at(-1)?.push(node)
    for (const [index, text] of (node.text ?? '').split(LINE_SEPARATOR).entries()) {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push(schema.text(text, node.marks))
    }
  })
  // A line break at the end of a block shows no line.
  if (lines.at(-1)?.length === 0) lines.pop()
  return lines.map((line) => block.type.create(block.attrs, line))
}

/** Each line is a paragraph. Text that is pasted into a line takes the marks there. */
function linesOf(text: string, $context: ResolvedPos): Slice {
  const marks = $context.marks()
  const lines = text.split(LINE_END_PATTERN).map((line) => (line === '' ? [] : [schema.text(line, marks)]))
  const blocks = lines.map((line) => schema.nodes.paragraph.create(null, line))
  return new Slice(Fragment.from(blocks), 1, 1)
}
