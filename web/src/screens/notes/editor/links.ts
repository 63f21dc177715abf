/** Reads and changes the link at the selection. */

import type { Mark, ResolvedPos } from 'prosemirror-model'
import type { Command, EditorState } from 'prosemirror-state'
import { schema } from './schema'

const { link } = schema.marks

export interface LinkRange {
  readonly href: string
  readonly from: number
  readonly to: number
}

/** The link in which the selection begins. */
export function linkAt({ selection: { $from, $to, from } }: EditorState): LinkRange | undefined {
  const mark = markAt($from)
  if (mark === undefined || !$from.sameParent($to)) return undefined
  const { parent, parentOffset } = $from
  const start = $from.start()
  let range: LinkRange | undefined
  let begin = 0
  parent.forEach((node, at) => {
    const isSame = mark.isInSet(node.marks)
    if (!isSame) begin = at + node.nodeSize
    else if (begin <= parentOffset && parentOffset <= at + node.nodeSize)
      range = { href: mark.attrs.href, from: start + begin, to: start + at + node.nodeSize }
  })
  return range && from <= range.to ? range : undefined
}

/** Before the position or behind it. */
function markAt({ nodeBefore, nodeAfter }: ResolvedPos): Mark | undefined {
  return link.isInSet(nodeAfter?.marks ?? []) ?? link.isInSet(nodeBefore?.marks ?? [])
}

/** Links the selection, the link at the selection, or the target itself as new text. */
export const setLink =
  (href: string): Command =>
  (state, dispatch) => {
    const { selection, tr } = state
    const mark = link.create({ href })
    const { from, to } = selection.empty ? (linkAt(state) ?? selection) : selection
    if (from === to) tr.insert(from, schema.text(href, [mark]))
    else tr.removeMark(from, to, link).addMark(from, to, mark)
    dispatch?.(tr.removeStoredMark(link).scrollIntoView())
    return true
  }

export const removeLink: Command = (state, dispatch) => {
  const range = linkAt(state)
  if (range === undefined) return false
  dispatch?.(state.tr.removeMark(range.from, range.to, link))
  return true
}
