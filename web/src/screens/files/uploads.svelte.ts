/** The uploads to one record. They go on while other screens are shown. */

import { toApiError } from '../../api/errors'
import { type RecordFolder, MAX_FILE_BYTES, uploadFile } from '../../api/files/files'
import { sizeText } from '../../values/formats'

/** How many files are sent at the same time. */
const MAX_SENDING = 3

export class Upload {
  readonly id: number
  readonly file: File
  readonly folder: RecordFolder
  /** The part of the file that was sent, from 0 to 1. */
  share = $state(0)
  state = $state<'waiting' | 'sending' | 'failed'>('waiting')
  problem = $state('')
  #controller = new AbortController()

  constructor(id: number, file: File, folder: RecordFolder) {
    this.id = id
    this.file = file
    this.folder = folder
  }

  get isCancelled(): boolean {
    return this.#controller.signal.aborted
  }

  /** Returns whether the file was stored. */
  async send(): Promise<boolean> {
    this.state = 'sending'
    this.share = 0
    try {
      if (this.file.size > MAX_FILE_BYTES) throw new Error(`Files can have at most ${sizeText(MAX_FILE_BYTES)}.`)
      const onSent = (bytes: number) => (this.share = Math.min(1, bytes / Math.max(1, this.file.size)))
      await uploadFile(this.folder, this.file, { signal: this.#controller.signal, onSent })
      return true
    } catch (error) {
      this.problem = error instanceof Error ? error.message : toApiError(error).message
      this.state = 'failed'
      return false
    }
  }

  /** The service deletes what it got of a partial upload. */
  cancel(): void {
    this.#controller.abort()
  }
}

export class Uploads {
  list = $state.raw<readonly Upload[]>([])
  /** How many files were stored. */
  storedCount = $state(0)
  #lastId = 0

  add(files: Iterable<File>, folder: RecordFolder): void {
    this.list = [...this.list, ...[...files].map((file) => new Upload(this.#nextId(), file, folder))]
    this.#sendNext()
  }

  cancel(upload: Upload): void {
    upload.cancel()
    this.#remove(upload)
    this.#sendNext()
  }

  retry(upload: Upload): void {
    upload.state = 'waiting'
    this.#sendNext()
  }

  get isSending(): boolean {
    return this.list.some(({ state }) => state !== 'failed')
  }

  #sendNext(): void {
    updateLeaveQuestion()
    const free = MAX_SENDING - this.list.filter(({ state }) => state === 'sending').length
    const waiting = this.list.filter(({ state }) => state === 'waiting')
    for (const upload of waiting.slice(0, Math.max(0, free))) void this.#send(upload)
  }

  async #send(upload: Upload): Promise<void> {
    if (await upload.send()) {
      this.storedCount += 1
      this.#remove(upload)
    }
    this.#sendNext()
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #remove(upload: Upload): void {
    this.list = this.list.filter((one) => one !== upload)
  }
}

const byRecord = new Map<string, Uploads>()

/** The uploads to a record, also those that began before its page was left. */
export function uploadsOf(recordId: string): Uploads {
  const uploads = byRecord.get(recordId) ?? new Uploads()
  byRecord.set(recordId, uploads)
  return uploads
}

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()

/** The browser asks before it leaves the console, whatever screen is shown, while files are being sent. */
function updateLeaveQuestion(): void {
  const isSending = [...byRecord.values()].some((uploads) => uploads.isSending)
  if (isSending) window.addEventListener('beforeunload', askBeforeLeaving)
  else window.removeEventListener('beforeunload', askBeforeLeaving)
}
