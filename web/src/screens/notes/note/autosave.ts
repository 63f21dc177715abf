/**
 * Saves a note while a person writes it. A write names the version that the person saw, so that it never replaces the changes
 * of other people: when both changed the same part, the person decides. See docs/decisions/notes.md.
 */

import { type ApiError, toApiError } from '../../../api/errors'

/** The parts of a note that a person writes. */
export interface NoteText {
  readonly title: string
  /** Markdown. */
  readonly content: string
}

/** A note as the service has it. */
export interface StoredText extends NoteText {
  readonly version: string
  /** The markdown that the editor writes for the content. It may have other escapes than that of the service. */
  readonly written: string
}

export interface NoteStore<Stored extends StoredText> {
  read(): Promise<Stored>
  write(
    change: Partial<NoteText>,
    version: string,
    options: { keepalive: boolean },
  ): Promise<Omit<StoredText, 'written'>>
}

export type SaveStatus<Stored> =
  | { readonly kind: 'saved' | 'saving' | 'failed' | 'deleted' }
  /** The service does not accept the text. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'conflict'; readonly theirs: Stored }

export interface AutosaveParts<Stored extends StoredText> {
  readonly store: NoteStore<Stored>
  /** The present text, as the person sees it. */
  readonly text: () => NoteText
  /** Shows the parts that other people changed. */
  readonly show: (theirs: Stored, parts: { readonly title: boolean; readonly content: boolean }) => void
  readonly onstatus: (status: SaveStatus<Stored>) => void
  /** Calls `act` after some time, and returns the function that prevents it. */
  readonly wait: (ms: number, act: () => void) => () => void
}

const PAUSE_MS = 800

/** Between attempts, the last one for all that follow. */
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000]

/** A browser sends at most 64 kB for a page that is being left. */
const MAX_KEEPALIVE_LENGTH = 20_000

/** The saved state that a draft stores, so that the next page continues from it. */
export interface SaveBase {
  readonly saved: StoredText
  readonly sent: readonly NoteText[]
}

/** Of the texts without an answer, how many are remembered. */
const MAX_SENT = 5

export class Autosave<Stored extends StoredText> {
  readonly #parts: AutosaveParts<Stored>
  #saved: StoredText
  /** The texts that were sent since the last answer. One of them may be stored although its answer got lost. */
  #sent: readonly NoteText[]
  #status: SaveStatus<Stored> = { kind: 'saved' }
  #running: Promise<void> | undefined
  #failures = 0
  #cancel: () => void = () => {}

  constructor(base: SaveBase, parts: AutosaveParts<Stored>) {
    this.#saved = base.saved
    this.#sent = base.sent
    this.#parts = parts
  }

  get base(): SaveBase {
    return { saved: this.#saved, sent: this.#sent }
  }

  /** Whether there is text that the service does not have. */
  get isDirty(): boolean {
    return changeOf(this.#parts.text(), this.#saved) !== undefined
  }

  /** Whether a browser can send the text while the page is being left. */
  get canLeave(): boolean {
    const isWaiting = this.#status.kind === 'saved' || this.#status.kind === 'saving'
    return isWaiting && this.#parts.text().content.length <= MAX_KEEPALIVE_LENGTH
  }

  /** The person changed the text. */
  edited(): void {
    if (this.#isStopped()) return
    if (this.#status.kind !== 'failed') this.#set({ kind: 'saving' })
    this.#after(PAUSE_MS)
  }

  /** Saves now. */
  save({ keepalive = false } = {}): Promise<void> {
    this.#cancel()
    if (this.#isStopped()) return Promise.resolve()
    if (keepalive) return this.#write(true)
    this.#running ??= this.#write(false).finally(() => {
      this.#running = undefined
      // The person may have typed more during the request.
      if (this.#status.kind === 'saving') this.#after(PAUSE_MS)
    })
    return this.#running
  }

  /** Ends saving, for a screen that is closed. */
  stop(): void {
    this.#cancel()
  }

  /** The note may have been changed elsewhere. Text that is not saved yet meets the change when it is saved. */
  async refresh(): Promise<void> {
    await this.#running
    if (this.#status.kind === 'deleted' || this.isDirty) return
    const saved = this.#saved
    try {
      const theirs = await this.#parts.store.read()
      // What was read may be older than what was saved meanwhile.
      const isOutrun = this.#saved !== saved || this.#running !== undefined || this.isDirty
      if (isOutrun || theirs.version === saved.version) return
      this.#adopt(theirs, { title: true, content: theirs.content !== this.#saved.content })
    } catch (error) {
      if (toApiError(error).isNotFound) this.#set({ kind: 'deleted' })
    }
  }

  /** Ends a conflict with the text of the person, or with that of the others. */
  async resolve(choice: 'mine' | 'theirs'): Promise<void> {
    if (this.#status.kind !== 'conflict') return
    const { theirs } = this.#status
    if (choice === 'theirs') return this.#adopt(theirs, { title: true, content: true })
    this.#saved = theirs
    this.#set({ kind: 'saving' })
    await this.save()
  }

  #isStopped(): boolean {
    return this.#status.kind === 'conflict' || this.#status.kind === 'deleted'
  }

  #after(ms: number): void {
    this.#cancel()
    this.#cancel = this.#parts.wait(ms, () => void this.save())
  }

  async #write(keepalive: boolean): Promise<void> {
    const text = this.#parts.text()
    const change = changeOf(text, this.#saved)
    if (change === undefined) return this.#set({ kind: 'saved' })
    if (this.#status.kind !== 'failed') this.#set({ kind: 'saving' })
    this.#sent = [...this.#sent.slice(1 - MAX_SENT), text]
    try {
      const stored = await this.#parts.store.write(change, this.#saved.version, { keepalive })
      this.#saved = { ...stored, written: text.content }
      this.#sent = []
      this.#failures = 0
      this.#set({ kind: this.isDirty ? 'saving' : 'saved' })
    } catch (error) {
      await this.#meet(toApiError(error))
    }
  }

  async #meet(error: ApiError): Promise<void> {
    if (error.status === 412) return this.#compare()
    if (error.isNotFound) return this.#set({ kind: 'deleted' })
    if (error.isClientError && error.status !== 429) return this.#set({ kind: 'refused', message: error.message })
    this.#set({ kind: 'failed' })
    this.#after(RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)] ?? PAUSE_MS)
  }

  /** Compares the text with the stored note. Changes to different parts are merged. */
  async #compare(): Promise<void> {
    try {
      const theirs = await this.#parts.store.read()
      const text = this.#parts.text()
      const title = winnerOf(
        text.title,
        theirs.title,
        [this.#saved, ...this.#sent].map((own) => own.title),
      )
      const written = theirs.content === this.#saved.content ? this.#saved.written : theirs.written
      const content = winnerOf(text.content, written, [this.#saved.written, ...this.#sent.map((own) => own.content)])
      if (title === 'conflict' || content === 'conflict') return this.#set({ kind: 'conflict', theirs })
      this.#adopt(theirs, { title: title === 'theirs', content: content === 'theirs' })
      if (this.isDirty) this.#set({ kind: 'saving' })
    } catch (error) {
      await this.#meet(toApiError(error))
    }
  }

  #adopt(theirs: Stored, parts: { readonly title: boolean; readonly content: boolean }): void {
    this.#saved = theirs
    this.#sent = []
    this.#failures = 0
    this.#parts.show(theirs, parts)
    this.#set({ kind: 'saved' })
  }

  #set(status: SaveStatus<Stored>): void {
    this.#status = status
    this.#parts.onstatus(status)
  }
}

function changeOf(text: NoteText, saved: StoredText): Partial<NoteText> | undefined {
  const hasTitle = text.title !== saved.title
  const hasContent = text.content !== saved.written
  if (!hasTitle && !hasContent) return undefined
  return { ...(hasTitle && { title: text.title }), ...(hasContent && { content: text.content }) }
}

/** Whose text of one part remains, if others started from one of `own`. */
function winnerOf(mine: string, theirs: string, own: readonly string[]): 'mine' | 'theirs' | 'conflict' {
  if (mine === theirs || own.includes(theirs)) return 'mine'
  return own[0] === mine ? 'theirs' : 'conflict'
}
