/** Downloads a file of a record. */

import { idOfFile, signDownload, type StoredFile } from '../../api/files/files'
import { toasts } from '../../state/toasts.svelte'

export async function download(file: StoredFile): Promise<void> {
  try {
    const link = document.createElement('a')
    link.href = await signDownload(idOfFile(file))
    link.download = file.name
    link.click()
  } catch (error) {
    toasts.fail(error)
  }
}
