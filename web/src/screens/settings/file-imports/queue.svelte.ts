/** The files of one visit of the page. They are sent one after another, because the service imports one at a time for a member. */

import { toApiError } from '../../../api/errors'
import { type FileImportProgress, importFile } from '../../../api/records/file-imports'

const ALREADY_RUNNING = 409
const RETRY_AFTER_MS = 1_000

export type QueuedState = 'waiting' | 'sending' | 'importing' | 'finished' | 'failed' | 'cancelled'

/** Whose mailbox or calendar a file is. */
export interface FileOwner {
  /** Undefined for the signed-in member. */
  readonly member: { readonly id: string; readonly name: string } | undefined
  /** Further addresses of the member, separated by commas. */
  readonly addresses: string
}

export class QueuedFile {
  state = $state<QueuedState>('waiting')
  /** The part of the file that was sent, from 0 to 1. */
  share = $state(0)
  progress = $state.raw<FileImportProgress | undefined>()
  /** Why the file could not be sent, or its import failed. */
  failure = $state<string | undefined>()
  #controller = new AbortController()

  constructor(
    readonly file: File,
    readonly owner: FileOwner,
  ) {}

  get isDone(): boolean {
    return this.state === 'finished' || this.state === 'failed' || this.state === 'cancelled'
  }

  /** Waits while the service still imports another file of the member, such as one that was cancelled just now. */
  async run(): Promise<void> {
    while (!this.isDone) {
      await this.#send()
      if (this.state === 'waiting') await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
    }
  }

  async #send(): Promise<void> {
    this.state = 'sending'
    try {
      const result = await importFile(this.file, {
        member: this.owner.member?.id,
        addresses: this.owner.addresses,
        signal: this.#controller.signal,
        onSent: (bytes) => this.#sent(bytes),
        onProgress: (progress) => (this.progress = progress),
      })
      this.progress = result
      this.failure = result.failure ?? undefined
      this.state = result.state === 'failed' ? 'failed' : 'finished'
    } catch (reason) {
      if (this.isDone) return // cancelled
      const error = toApiError(reason)
      if (error.status === ALREADY_RUNNING) this.state = 'waiting'
      else this.refuse(error.message)
    }
  }

  /** What was imported stays. */
  cancel(): void {
    if (this.isDone) return
    this.state = 'cancelled'
    this.#controller.abort()
  }

  refuse(reason: string): void {
    this.failure = reason
    this.state = 'failed'
  }

  #sent(bytes: number): void {
    this.share = this.file.size === 0 ? 1 : Math.min(1, bytes / this.file.size)
    if (this.share === 1 && !this.isDone) this.state = 'importing'
  }
}

const KINDS = /\.(?:eml|mbox|ics)$/i

export class FileQueue {
  files = $state.raw<readonly QueuedFile[]>([])
  #isSending = false

  /** Whether a file is not done. */
  readonly isRunning = $derived(this.files.some(({ isDone }) => !isDone))

  /** `explainSize` returns why a file of this size is not imported. */
  add(files: readonly File[], owner: FileOwner, explainSize: (size: number) => string | undefined): void {
    const queued = files.map((file) => new QueuedFile(file, owner))
    for (const one of queued) {
      const tooLarge = explainSize(one.file.size)
      if (!KINDS.test(one.file.name)) one.refuse('Not an .eml, .mbox or .ics file.')
      else if (tooLarge !== undefined) one.refuse(tooLarge)
    }
    this.files = [...queued, ...this.files]
    void this.#run()
  }

  /** Cancels everything when the page is left. */
  close(): void {
    for (const file of this.files) file.cancel()
  }

  async #run(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    for (let next = this.#next(); next !== undefined; next = this.#next()) await next.run()
    this.#isSending = false
  }

  #next(): QueuedFile | undefined {
    return this.files.find(({ state }) => state === 'waiting')
  }
}
