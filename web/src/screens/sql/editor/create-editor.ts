/** Makes the editor of a query in an element of the page. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { errorMark } from './error-mark'
import { theme } from './theme'

export interface EditorEvents {
  /** After every change of the text or the selection. */
  readonly onstate: (state: EditorState) => void
  readonly onrun: () => void
  readonly onsave: () => void
}

/** What a reader of the screen hears, and what an empty editor shows. */
export interface EditorTexts {
  readonly label: string
  readonly placeholder: string
}

/** Holds the language, whose completions change when the tables are loaded. */
export const language = new Compartment()

/**
 * The editor is in a shadow root: there it adopts its style sheets, where in the page it would add inline styles, which the
 * content security policy refuses. See docs/decisions/console.md.
 */
export function createEditor(host: HTMLElement, text: string, events: EditorEvents, texts: EditorTexts): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: text, extensions: extensionsOf(events, texts) }),
  })
}

const extensionsOf = ({ onstate, onrun, onsave }: EditorEvents, texts: EditorTexts): Extension[] => [
  Prec.highest(
    keymap.of([
      { key: 'Mod-Enter', run: () => (onrun(), true) },
      { key: 'Mod-s', run: () => (onsave(), true) },
    ]),
  ),
  lineNumbers(),
  history(),
  drawSelection(),
  highlightSpecialChars(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ icons: false }),
  errorMark,
  language.of([]),
  theme,
  placeholder(texts.placeholder),
  EditorView.contentAttributes.of({ 'aria-label': texts.label, 'aria-multiline': 'true', spellcheck: 'false' }),
  EditorView.lineWrapping,
  // Tab leaves the editor, so that the keyboard reaches the rest of the page.
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (docChanged || selectionSet) onstate(state)
  }),
]
