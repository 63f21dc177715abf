/** A file on its way to the service. */

import { type ImportDetail, uploadFile } from '../../../api/records/imports'

export class Upload {
  readonly file: File
  /** How much of it is on its way, from 0 to 1. */
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

  /** The service keeps nothing of what came. */
  cancel(): void {
    this.#controller.abort()
  }
}
