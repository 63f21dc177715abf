/** A note that is open: its editor, its title, and whether they are saved. */

import { untrack } from 'svelte'
import { getNote, type Note, type NoteBlock, updateNote } from '../../../api/notes/notes'
import type { Actor } from '../../../api/records/entities'
import { changeEvents } from '../../../state/events/change-events'
import { documentFrom } from '../editor/blocks'
import { NoteEditor } from '../editor/editor.svelte'
import { writeMarkdown } from '../editor/markdown/write-markdown'
import { Autosave, type NoteStore, type SaveStatus, type StoredText } from './autosave'
import { findDraft, removeDraft, storeDraft } from './drafts'

export interface StoredNote extends StoredText {
  readonly note: Note
  readonly blocks: readonly NoteBlock[]
}

/** With more lines, each key in the editor would take noticeable time. */
export const MAX_LINES = 10_000

export async function readNote(id: string, signal?: AbortSignal): Promise<StoredNote> {
  const { note, blocks, version } = await getNote(id, signal)
  const written = blocks.length > MAX_LINES ? '' : writeMarkdown(documentFrom(blocks))
  return { note, blocks, version, title: note.title, content: note.content_markdown, written }
}

const storeOf = (id: string): NoteStore<StoredNote> => ({
  read: () => readNote(id),
  async write(change, ifMatch, { keepalive }) {
    const { note, version } = await updateNote(id, change, { ifMatch, keepalive })
    return { version, title: note.title, content: note.content_markdown }
  },
})

export class OpenNote {
  title = $state('')
  status = $state.raw<SaveStatus<StoredNote>>({ kind: 'saved' })
  isOnline = $state(navigator.onLine)
  /** Who changed the note last, after it was opened. */
  changedBy = $state.raw<Actor | undefined>()
  readonly editor: NoteEditor
  readonly #id: string
  readonly #autosave: Autosave<StoredNote>

  constructor(stored: StoredNote) {
    this.#id = stored.note.id.note_id
    const draft = findDraft(this.#id)
    this.title = draft?.title ?? stored.title
    this.editor = new NoteEditor(draft?.doc ?? documentFrom(stored.blocks), {
      onedit: () => this.#autosave.edited(),
      onblur: () => void this.#autosave.save(),
    })
    this.#autosave = new Autosave<StoredNote>(draft?.base ?? { saved: stored, sent: [] }, {
      store: storeOf(this.#id),
      text: () => ({ title: this.title, content: this.editor.markdown() }),
      show: ({ title, blocks }, parts) => {
        if (parts.title) this.title = title
        if (parts.content) this.editor.show(blocks)
      },
      onstatus: (status) => {
        this.status = status
        if (status.kind === 'saved') removeDraft(this.#id)
      },
      wait: (ms, act) => {
        const timer = setTimeout(act, ms)
        return () => clearTimeout(timer)
      },
    })
  }

  /** Saves, and follows the changes of other people, until the note is closed; for use in an effect. */
  follow(): () => void {
    void untrack(() => this.#autosave.save()) // of a draft
    const stopEvents = changeEvents.follow({
      onevent: ({ event_type, id, actor }) => {
        if (id.note_id !== this.#id || event_type === 'note.created') return
        this.changedBy = actor
        void this.#autosave.refresh()
      },
      onmissed: () => void this.#autosave.refresh(),
    })
    const stopWindow = this.#followWindow()
    return () => {
      stopEvents()
      stopWindow()
      this.#leave()
    }
  }

  setTitle(title: string): void {
    this.title = title
    this.#autosave.edited()
  }

  save(): Promise<void> {
    return this.#autosave.save()
  }

  resolve(choice: 'mine' | 'theirs'): Promise<void> {
    return this.#autosave.resolve(choice)
  }

  #followWindow(): () => void {
    const ending = new AbortController()
    const { signal } = ending
    const setOnline = () => {
      this.isOnline = navigator.onLine
      if (this.isOnline) void this.#autosave.save()
    }
    window.addEventListener('online', setOnline, { signal })
    window.addEventListener('offline', setOnline, { signal })
    window.addEventListener('pagehide', () => this.#leave({ keepalive: true }), { signal })
    window.addEventListener(
      'beforeunload',
      (event) => {
        if (this.#autosave.isDirty && !this.#autosave.canLeave) event.preventDefault()
      },
      { signal },
    )
    return () => ending.abort()
  }

  /** Sends unsaved text and stores it as a draft, in case the request fails. */
  #leave(options = { keepalive: false }): void {
    if (this.status.kind === 'deleted' || !this.#autosave.isDirty) return
    void this.#autosave.save(options)
    storeDraft(this.#id, { title: this.title, doc: this.editor.doc, base: this.#autosave.base })
  }
}
