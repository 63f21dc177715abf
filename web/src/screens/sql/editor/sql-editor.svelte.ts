/** The text of a query, its selection and its editor. */

import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { untrack } from 'svelte'
import type { SqlTable } from '../tables'
import { sqlLanguage } from './completion'
import { createEditor, type EditorTexts, language } from './create-editor'
import { setError } from './error-mark'

/** A text to run, and where it begins in the editor. */
export interface SqlPart {
  readonly text: string
  readonly offset: number
}

export class SqlEditor {
  text = $state('')
  hasSelection = $state(false)
  #tables: readonly SqlTable[] = []
  #of: SqlTable | undefined
  #view: EditorView | undefined
  readonly #events: { readonly onrun: () => void; readonly onsave: () => void }
  readonly #texts: EditorTexts

  constructor(
    text: string,
    events: { readonly onrun: () => void; readonly onsave: () => void },
    texts: EditorTexts = { label: 'SQL query', placeholder: 'select …' },
  ) {
    this.text = text
    this.#events = events
    this.#texts = texts
  }

  /** An attachment of the element that holds the editor. */
  readonly mount = (host: HTMLElement): (() => void) => {
    // The attachment must not run again when the text changes.
    const text = untrack(() => this.text)
    const events = { ...this.#events, onstate: (state: EditorState) => this.#follow(state) }
    const view = createEditor(host, text, events, this.#texts)
    this.#view = view
    this.#configure()
    return () => {
      this.#view = undefined
      view.destroy()
    }
  }

  /** The selected text, or else all of it. */
  get part(): SqlPart {
    const { from = 0, to = 0 } = this.#view?.state.selection.main ?? {}
    return this.hasSelection ? { text: this.text.slice(from, to), offset: from } : { text: this.text, offset: 0 }
  }

  /** Replaces the text. Undo restores it. */
  replaceText(text: string): void {
    this.text = text
    const view = this.#view
    view?.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    })
  }

  /** The columns of `of` complete without the name of the table. The same tables would make the editor ignore a press on a completion that it shows. */
  setTables(tables: readonly SqlTable[], of?: SqlTable): void {
    const isSame = JSON.stringify([tables, of]) === JSON.stringify([this.#tables, this.#of])
    this.#tables = tables
    this.#of = of
    if (!isSame) this.#configure()
  }

  #configure(): void {
    this.#view?.dispatch({ effects: language.reconfigure(sqlLanguage(this.#tables, this.#of)) })
  }

  /** Marks the word at an offset; undefined removes the mark. */
  markError(offset: number | undefined): void {
    this.#view?.dispatch({ effects: setError.of(offset ?? null) })
  }

  /** Places the cursor. */
  goTo(offset: number): void {
    this.#view?.dispatch({ selection: { anchor: Math.min(offset, this.text.length) }, scrollIntoView: true })
    this.focus()
  }

  focus(): void {
    this.#view?.focus()
  }

  #follow(state: EditorState): void {
    this.text = state.doc.toString()
    this.hasSelection = !state.selection.main.empty
  }
}
