/** Makes the editor of a note's text in an element of the page. */

import { history } from 'prosemirror-history'
import { Node } from 'prosemirror-model'
import { EditorState, Plugin } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { copy } from './clipboard/copy'
import { behindPrefix, forms } from './forms'
import { markdownRules } from './input-rules'
import { editorKeys } from './keys'
import { type ImageEvents, images } from './images'
import { lists } from './lists'
import { paste } from './clipboard/paste'

export interface EditorEvents extends ImageEvents {
  /** After every change of the document or the selection. */
  readonly onstate: (state: EditorState) => void
  /** After a change of the document by the person. */
  readonly onedit: () => void
  readonly onblur: () => void
  /** Before the editor itself. Returns whether the key was used. */
  readonly onkey: (event: KeyboardEvent) => boolean
  readonly editLink: () => void
}

/** Marks transactions that show what the service has. */
const FROM_SERVICE = 'from service'

export function createEditor(element: HTMLElement, doc: Node, events: EditorEvents): EditorView {
  const view: EditorView = new EditorView(element, {
    state: stateOf(doc, pluginsOf(events)),
    attributes: {
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': 'Note',
      class: 'note-text',
      spellcheck: 'true',
    },
    dispatchTransaction(transaction) {
      const state = view.state.apply(transaction)
      view.updateState(state)
      events.onstate(state)
      if (transaction.docChanged && transaction.getMeta(FROM_SERVICE) !== true) events.onedit()
    },
  })
  return view
}

/** The cursor is at the beginning of the text. */
function stateOf(doc: Node, plugins: readonly Plugin[]): EditorState {
  const state = EditorState.create({ doc, plugins })
  const moved = behindPrefix(state)
  return moved === undefined ? state : state.apply(moved)
}

const pluginsOf = (events: EditorEvents): Plugin[] => [
  new Plugin({ props: { handleKeyDown: (_view, event) => events.onkey(event) } }),
  markdownRules(),
  ...editorKeys(events.editLink),
  history(),
  lists(),
  forms(),
  images(events),
  paste(events.refuse),
  copy(),
  new Plugin({
    props: {
      handleDOMEvents: { blur: () => void events.onblur(), click: followLink },
    },
  }),
]

/** A click with Ctrl or Cmd opens a link; without, it places the cursor. */
function followLink(_view: EditorView, event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null) return false
  event.preventDefault()
  if (event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener,noreferrer')
  return false
}

/** Shows another document and changes only what is different, so that the cursor stays where it is. Undo does not take it back. */
export function showDocument(view: EditorView, doc: Node): void {
  const { state } = view
  const start = state.doc.content.findDiffStart(doc.content)
  const end = state.doc.content.findDiffEnd(doc.content)
  if (start === null || end === null) return
  // Where text repeats, the different parts seem to overlap.
  const overlap = Math.max(0, start - Math.min(end.a, end.b))
  const slice = doc.slice(start, end.b + overlap)
  const change = state.tr.replace(start, end.a + overlap, slice)
  view.dispatch(change.setMeta('addToHistory', false).setMeta(FROM_SERVICE, true))
}

/** A document to look at. */
export const createReader = (element: HTMLElement, doc: Node): EditorView =>
  new EditorView(element, {
    state: EditorState.create({ doc, plugins: [lists(), forms()] }),
    editable: () => false,
    attributes: { class: 'note-text' },
  })
