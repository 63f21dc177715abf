/** An editor in the page, as the toolbar and the note around it see it. */

import type { Node } from 'prosemirror-model'
import type { Command, EditorState } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import type { NoteBlock } from '../../../api/notes/notes'
import { toasts } from '../../../state/toasts.svelte'
import { documentFrom } from './blocks'
import { type BlockKind, isMarked, selectedKind, toggle, toggleKind } from './commands'
import { createEditor, showDocument } from './create-editor'
import { linkAt } from './links'
import type { MarkName } from './markdown/spans'
import { writeMarkdown } from './markdown/write-markdown'
import { schema } from './schema'

interface EditorListener {
  onedit(): void
  onblur(): void
}

export class NoteEditor {
  #view: EditorView | undefined
  #doc: Node
  #state = $state.raw<EditorState | undefined>()
  isLinkOpen = $state(false)
  readonly #listener: EditorListener

  readonly kind: BlockKind | undefined = $derived(this.#state && selectedKind(this.#state))
  readonly link = $derived(this.#state && linkAt(this.#state))
  readonly isEmpty: boolean = $derived(
    this.#state?.doc.childCount === 1 && this.#state.doc.firstChild?.content.size === 0,
  )

  constructor(doc: Node, listener: EditorListener) {
    this.#doc = doc
    this.#listener = listener
  }

  /** Shows the editor in an element, and returns the function that removes it; for use as an attachment. */
  readonly mount = (element: HTMLElement): (() => void) => {
    const view = createEditor(element, this.#doc, {
      onstate: (state) => {
        this.#state = state
        this.#doc = state.doc
      },
      onedit: () => this.#listener.onedit(),
      onblur: () => this.#listener.onblur(),
      editLink: () => (this.isLinkOpen = true),
      refuse: (message) => toasts.show(message),
    })
    this.#view = view
    this.#state = view.state
    return () => view.destroy()
  }

  get doc(): Node {
    return this.#doc
  }

  markdown(): string {
    return writeMarkdown(this.#doc)
  }

  show(blocks: readonly NoteBlock[]): void {
    this.#doc = documentFrom(blocks)
    if (this.#view) showDocument(this.#view, this.#doc)
  }

  isMarked(name: MarkName): boolean {
    return this.#state !== undefined && isMarked(this.#state, schema.marks[name])
  }

  toggleMark(name: MarkName): void {
    this.run(toggle(schema.marks[name]))
  }

  toggleKind(kind: BlockKind): void {
    this.run(toggleKind(kind))
  }

  /** Does something to the selection, and gives the editor the focus. */
  run(command: Command): void {
    const view = this.#view
    if (view === undefined) return
    command(view.state, view.dispatch, view)
    view.focus()
  }

  focus(): void {
    this.#view?.focus()
  }
}
