/** The commands of the toolbar and the keys. */

import { joinTextblockBackward, setBlockType, toggleMark } from 'prosemirror-commands'
import type { Attrs, MarkType, Node, NodeType } from 'prosemirror-model'
import type { Command, EditorState } from 'prosemirror-state'
import { canSplit } from 'prosemirror-transform'
import { formAtCursor } from './forms'
import { ListLevels } from './list-levels'
import { type ItemKind, MAX_INDENT, schema } from './schema'

const { paragraph, heading, item } = schema.nodes

/** The type of a block, with its level or list kind. */
export type BlockKind = 'paragraph' | 'heading-1' | 'heading-2' | 'heading-3' | 'bullet' | 'number'

const kindOf = ({ type, attrs }: Node): BlockKind => {
  if (type === heading) return `heading-${attrs.level as 1 | 2 | 3}` // the schema's levels
  return type === item ? (attrs.kind as ItemKind) : 'paragraph' // the schema's kinds
}

/** The kind of the selected blocks, if they are all of the same one. */
export function selectedKind({ doc, selection }: EditorState): BlockKind | undefined {
  const kinds = new Set<BlockKind>()
  doc.nodesBetween(selection.from, selection.to, (node) => {
    if (node.isTextblock) kinds.add(kindOf(node))
    return !node.isTextblock
  })
  const [kind] = kinds
  return kinds.size === 1 ? kind : undefined
}

const TYPES: Readonly<Record<BlockKind, { readonly type: NodeType; readonly attrs?: Attrs }>> = {
  paragraph: { type: paragraph },
  'heading-1': { type: heading, attrs: { level: 1 } },
  'heading-2': { type: heading, attrs: { level: 2 } },
  'heading-3': { type: heading, attrs: { level: 3 } },
  bullet: { type: item, attrs: { kind: 'bullet' } },
  number: { type: item, attrs: { kind: 'number' } },
}

/** Makes the selected blocks blocks of this kind. An item keeps its indent. */
export const setKind = (kind: BlockKind): Command =>
  setBlockType(TYPES[kind].type, ({ attrs }: Node) => ({ ...TYPES[kind].attrs, indent: attrs.indent ?? 0 }))

/** The same, or paragraphs if they are of this kind already. */
export const toggleKind =
  (kind: BlockKind): Command =>
  (state, dispatch) =>
    setKind(selectedKind(state) === kind ? 'paragraph' : kind)(state, dispatch)

/** Moves the selected items in or out. */
export const moveItems =
  (by: 1 | -1): Command =>
  ({ doc, selection, tr }, dispatch) => {
    let hasItem = false
    const levels = new ListLevels()
    doc.forEach((block, at) => {
      const isSelected = at < selection.to && at + block.nodeSize > selection.from
      if (block.type === item && isSelected) {
        hasItem = true
        const indent = levels.clamp(Math.min(Math.max(block.attrs.indent + by, 0), MAX_INDENT))
        if (indent !== block.attrs.indent) tr.setNodeMarkup(at, null, { ...block.attrs, indent })
      }
      levels.next(tr.doc.nodeAt(at) ?? block)
    })
    if (hasItem && tr.docChanged) dispatch?.(tr.scrollIntoView())
    return hasItem // so that Tab stays in the editor on an item that cannot move further
  }

/** In an empty item, Enter moves the item out, and ends a list that it is not in. */
export const leaveEmptyItem: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  const { parent } = $from
  if (!empty || parent.type !== item || parent.content.size > 0) return false
  return parent.attrs.indent > 0 ? moveItems(-1)(state, dispatch) : setKind('paragraph')(state, dispatch)
}

/** The next line is of the same kind; after a heading it is a paragraph. */
export const splitLine: Command = ({ selection, tr }, dispatch) => {
  if (!selection.empty) tr.deleteSelection()
  const { $from } = tr.selection
  const { parent, parentOffset, pos } = $from
  if (!parent.isTextblock) return false
  const isAfterHeading = parent.type === heading && parentOffset === parent.content.size
  const types = isAfterHeading ? [{ type: paragraph }] : [{ type: parent.type, attrs: parent.attrs }]
  if (!canSplit(tr.doc, pos, 1, types)) return false
  const isBeforeHeading = parent.type === heading && parentOffset === 0 && parent.content.size > 0
  tr.split(pos, 1, types)
  if (isBeforeHeading) tr.setNodeMarkup($from.before(), paragraph)
  dispatch?.(tr.scrollIntoView())
  return true
}

/** Backspace at the beginning of a heading or of an item makes it a paragraph; anywhere else it joins two lines. */
export const deleteBackward: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection
  if (!empty || $from.parentOffset > 0) return false
  if ($from.parent.type === item && $from.parent.attrs.indent > 0) return moveItems(-1)(state, dispatch)
  if ($from.parent.type !== paragraph) return setKind('paragraph')(state, dispatch)
  return joinTextblockBackward(state, dispatch, view)
}

/** Whether a mark is on all of the selection, or on what is typed next. */
export function isMarked({ doc, selection, storedMarks }: EditorState, mark: MarkType): boolean {
  const { from, to, empty, $from } = selection
  if (empty) return mark.isInSet(storedMarks ?? $from.marks()) !== undefined
  let [hasText, isAll] = [false, true]
  doc.nodesBetween(from, to, (node) => {
    if (!node.isText) return
    hasText = true
    isAll &&= mark.isInSet(node.marks) !== undefined
  })
  return hasText && isAll
}

/** Marks the selection, unless all of it is marked. Code has no marks. */
export const toggle =
  (mark: MarkType): Command =>
  (state, dispatch) =>
    formAtCursor(state)?.name !== 'code' && toggleMark(mark, null, { removeWhenPresent: false })(state, dispatch)
