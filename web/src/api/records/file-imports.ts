/** Imports of email and calendar files. */

import type { FileImportProgress, LargestFileAnswer } from '#api/console/file-imports/schemas'
import { workspaceApi } from '../client'
import { unreachable } from '../errors'

export type { FileImportProgress }

export const readLargestFile = async (signal?: AbortSignal): Promise<number> =>
  (await workspaceApi.get<LargestFileAnswer>('/file-imports', { signal })).data.largest_file

interface FileImportOptions {
  /** The id of the member whose mailbox or calendar it is. By default the signed-in member. */
  readonly member: string | undefined
  /** Further addresses of the member, separated by commas. */
  readonly addresses: string
  readonly signal: AbortSignal
  /** Called with the number of bytes that were sent. */
  readonly onSent: (bytes: number) => void
  /** Called with the progress of the import, which begins after the upload, and with all problems until then. */
  readonly onProgress: (progress: FileImportProgress) => void
}

/** Resolves with the result of the import. */
export async function importFile(
  file: File,
  { member, addresses, signal, onSent, onProgress }: FileImportOptions,
): Promise<FileImportProgress> {
  const read = createLineReader()
  const onReceived = (text: string) => {
    const progress = read(text)
    if (progress !== undefined) onProgress(progress)
  }
  const query = { file_name: file.name, member, addresses: addresses === '' ? undefined : addresses }
  const text = await workspaceApi.postForText('/file-imports', { query, body: file, signal, onSent, onReceived })
  const result = read(text)
  if (result === undefined || result.state === 'running') throw unreachable()
  return result
}

/** Returns a function that reads the complete lines of a growing text, and returns the last one with the problems of all. */
function createLineReader(): (text: string) => FileImportProgress | undefined {
  let read = 0
  let latest: FileImportProgress | undefined
  return (text) => {
    for (let end = text.indexOf('\n', read); end !== -1; end = text.indexOf('\n', read)) {
      const line = JSON.parse(text.slice(read, end)) as FileImportProgress // the service writes these lines
      latest = { ...line, problems: [...(latest?.problems ?? []), ...line.problems] }
      read = end + 1
    }
    return latest
  }
}
