/** A CSV file that a page writes. Browsers that cannot write to the disk get the file as a download when it is complete. */

import { downloadText } from './download-text'

export interface OutputFile {
  write(part: string | Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
  /** Drops what was written. */
  abort(): Promise<void>
}

/** TypeScript has no type for this function, which only some browsers have. */
type SavingWindow = Window & {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
}

/** Whether an error says that the person closed the dialog of the browser or cancelled. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Asks for the place of the file where the browser can. */
export async function openOutputFile(name: string): Promise<OutputFile> {
  const { showSaveFilePicker } = window as SavingWindow
  if (!showSaveFilePicker) return createDownload(name)
  const file = await showSaveFilePicker.call(window, { suggestedName: name })
  const stream = await file.createWritable()
  return {
    write: (part) => stream.write(part),
    close: () => stream.close(),
    abort: () => stream.abort(),
  }
}

function createDownload(name: string): OutputFile {
  let parts: BlobPart[] = []
  return {
    write: async (part) => void parts.push(part),
    abort: async () => void (parts = []),
    close: async () => downloadText(name, parts, 'text/csv'),
  }
}
