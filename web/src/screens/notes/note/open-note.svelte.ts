/** A note that is open: its editor, its title, and whether they are saved. */

import { untrack } from 'svelte'
import { createNote, getNote, type Note, type NoteBlock, updateNote } from '../../../api/notes/notes'
import { getFile, readWhole, uploadImage } from '../../../api/files/files'
import type { Actor } from '../../../api/records/entities'
import { location } from '../../../router/location.svelte'
import { changeEvents } from '../../../state/events/change-events'
import { documentFrom } from '../editor/blocks'
import { NoteEditor } from '../editor/editor.svelte'
import { writeMarkdown } from '../editor/markdown/write-markdown'
import { session } from '../../../state/session.svelte'
import { Autosave, type NoteStore, type NoteText, type SaveStatus, type StoredText } from './autosave'
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

/** A note without an id and without a text. */
export function newNote(object: string, recordId: string): StoredNote {
  const text = { title: '', content: '', written: '' }
  const note: Note = {
    id: { workspace_id: session.workspace?.id ?? '', note_id: '' },
    parent_object: object,
    parent_record_id: recordId,
    title: '',
    meeting_id: null,
    content_plaintext: '',
    content_markdown: '',
    tags: [],
    created_by_actor: { type: 'workspace-member', id: session.workspace?.workspace_member_id ?? '' },
    created_at: new Date().toISOString(),
  }
  return { note, blocks: [], version: '', ...text }
}

const savedFrom = ({
  note,
  version,
}: {
  readonly note: Note
  readonly version: string
}): Omit<StoredText, 'written'> => ({
  version,
  title: note.title,
  content: note.content_markdown,
})

export class OpenNote {
  title = $state('')
  status = $state.raw<SaveStatus<StoredNote>>({ kind: 'saved' })
  isOnline = $state(navigator.onLine)
  /** Who changed the note last, after it was opened. */
  changedBy = $state.raw<Actor | undefined>()
  readonly editor: NoteEditor
  /** Empty until a new note is created. */
  id = $state('')
  readonly #note: Note
  #isFollowed = false
  #creation: ReturnType<typeof createNote> | undefined
  readonly #autosave: Autosave<StoredNote>

  constructor(stored: StoredNote) {
    this.#note = stored.note
    this.id = stored.note.id.note_id
    const draft = findDraft(stored.note.id.note_id)
    this.title = draft?.title ?? stored.title
    this.editor = new NoteEditor(draft?.doc ?? documentFrom(stored.blocks), {
      onedit: () => this.#autosave.edited(),
      onblur: () => void this.#autosave.save(),
      storeImage: (file) => this.#storeImage(file),
      copyImage: (fileId) => this.#copyImage(fileId),
    })
    this.#autosave = new Autosave<StoredNote>(draft?.base ?? { saved: stored, sent: [] }, {
      store: this.#store(),
      text: () => ({ title: this.title, content: this.editor.markdown() }),
      show: ({ title, blocks }, parts) => {
        if (parts.title) this.title = title
        if (parts.content) this.editor.show(blocks)
      },
      onstatus: (status) => {
        this.status = status
        if (status.kind === 'saved') removeDraft(this.id)
      },
      wait: (ms, act) => {
        const timer = setTimeout(act, ms)
        return () => clearTimeout(timer)
      },
    })
  }

  /** Saves, and follows the changes of other people, until the note is closed; for use in an effect. */
  follow(): () => void {
    this.#isFollowed = true
    void untrack(() => this.#autosave.save()) // of a draft
    const stopEvents = changeEvents.follow({
      onevent: ({ event_type, id, actor }) => {
        if (this.id === '' || id.note_id !== this.id || event_type === 'note.created') return
        this.changedBy = actor
        void this.#autosave.refresh()
      },
      onmissed: () => void (this.id !== '' && this.#autosave.refresh()),
    })
    const stopWindow = this.#followWindow()
    return () => {
      this.#isFollowed = false
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

  #store(): NoteStore<StoredNote> {
    return {
      read: () => readNote(this.id),
      write: async (change, ifMatch, { keepalive }) => {
        // A page that is left saves although its note is just being created.
        const created = await this.#creation?.catch(() => undefined)
        if (this.id === '') return savedFrom(await this.#create(change, keepalive))
        const version = created !== undefined && ifMatch === '' ? created.version : ifMatch
        return savedFrom(await updateNote(this.id, change, { ifMatch: version, keepalive }))
      },
    }
  }

  /** Stores a new note, and names it in the URL. */
  async #create({ title = '', content = '' }: Partial<NoteText>, keepalive: boolean): ReturnType<typeof createNote> {
    const { parent_object: object, parent_record_id: recordId } = this.#note
    this.#creation = createNote({ object, recordId, title, content }, { keepalive })
    const created = await this.#creation
    this.id = created.note.id.note_id
    if (this.#isFollowed) location.nameEntry(`/notes/${this.id}`)
    return created
  }

  /** Stores an image of the note, which is created before. */
  async #storeImage(file: File): Promise<string> {
    await this.#creation?.catch(() => undefined)
    if (this.id === '') await this.#create({ title: this.title, content: this.editor.markdown() }, false)
    const { parent_object: object, parent_record_id: recordId } = this.#note
    return uploadImage({ object, recordId, noteId: this.id }, file)
  }

  async #copyImage(fileId: string): Promise<string | undefined> {
    const file = await getFile(fileId)
    if (file.file_type !== 'file' || file.record_id === this.#note.parent_record_id) return undefined
    return this.#storeImage(await readWhole(file))
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
    if (this.id !== '') storeDraft(this.id, { title: this.title, doc: this.editor.doc, base: this.#autosave.base })
  }
}
