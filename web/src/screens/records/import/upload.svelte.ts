/** The upload of a file. */

import { type ImportDetail, uploadFile } from '../../../api/records/imports'

export class Upload {
  readonly file: File
  /** The part of the file that was sent, from 0 to 1. */
  share = $state(0)
  #controller = new AbortController()

  constructor(file: File) {
    this.file = file
  }

  get isCancelled(): boolean {
    return this.#controller.signal.aborted
  }

  run(slug: string): Promise<ImportDetail> {
    const onSent = (bytes: number) => (this.share = Math.min(1, bytes / this.file.size))
    return uploadFile(slug, this.file, { signal: this.#controller.signal, onSent })
  }

  /** The service deletes a partial upload. */
  cancel(): void {
    this.#controller.abort()
  }
}
