/** An editor in the page, as the toolbar and the note around it see it. */

import type { Node } from 'prosemirror-model'
import type { Command, EditorState } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import type { NoteBlock } from '../../../api/notes/notes'
import { toasts } from '../../../state/toasts.svelte'
import { documentFrom } from './blocks'
import { type BlockKind, isMarked, selectedKind, toggle, toggleKind } from './commands'
import { createEditor, showDocument } from './create-editor'
import { formAtCursor, type FormName, toggleForm } from './forms'
import { type ImageEvents, insertImages } from './images'
import { linkAt } from './links'
import type { MarkName } from './markdown/spans'
import { writeMarkdown } from './markdown/write-markdown'
import { schema } from './schema'
import { typedAt } from './suggestions'

interface EditorListener {
  onedit(): void
  onblur(): void
  /** Stores a file of the note, and returns its id. */
  storeImage(file: File): Promise<string>
  /** Copies an image of another record; undefined for one of the record of the note. */
  copyImage(fileId: string): Promise<string | undefined>
}

export class NoteEditor {
  #view: EditorView | undefined
  #doc: Node
  #state = $state.raw<EditorState | undefined>()
  #press: (event: KeyboardEvent) => boolean = () => false
  isLinkOpen = $state(false)
  readonly #listener: EditorListener
  readonly #imageEvents: ImageEvents = {
    storeImage: (file) => this.#listener.storeImage(file),
    copyImage: (fileId) => this.#listener.copyImage(fileId),
    refuse: (message) => toasts.show(message),
  }

  readonly kind: BlockKind | undefined = $derived(this.#state && selectedKind(this.#state))
  readonly form: FormName | undefined = $derived(this.#state && formAtCursor(this.#state)?.name)
  readonly link = $derived(this.#state && linkAt(this.#state))
  /** What is typed to choose from a list. */
  readonly typed = $derived(this.#state && typedAt(this.#state))
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
      onkey: (event) => this.#press(event),
      editLink: () => (this.isLinkOpen = true),
      ...this.#imageEvents,
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

  toggleForm(name: FormName): void {
    this.run(toggleForm(name))
  }

  insertImages(files: Iterable<File>): void {
    if (this.#view) insertImages(this.#view, [...files], this.#imageEvents)
  }

  /** Keys go to `press` first, which returns whether it used them. Returns the function that ends this. */
  listenToKeys(press: (event: KeyboardEvent) => boolean): () => void {
    this.#press = press
    return () => {
      this.#press = () => false
    }
  }

  /** Sets or removes attributes of the text for assistive technology. */
  describe(attributes: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) this.#view?.dom.removeAttribute(name)
      else this.#view?.dom.setAttribute(name, value)
    }
  }

  /** Where a position of the document is, in pixels from the element of the editor. */
  placeOf(position: number): { readonly left: number; readonly top: number } | undefined {
    const frame = this.#view?.dom.parentElement?.getBoundingClientRect()
    if (this.#view === undefined || frame === undefined) return undefined
    const { left, top } = this.#view.coordsAtPos(position)
    return { left: left - frame.left, top: top - frame.top }
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
