/** Imports of email and calendar files. */

import type { FileImportProgress } from '../../../../server/console/file-imports/schemas'
import { workspaceApi } from '../client'
import { unreachable } from '../errors'

export type { FileImportProgress }

export const readLargestFile = async (signal?: AbortSignal): Promise<number> =>
  (await workspaceApi.get<{ data: { largest_file: number } }>('/file-imports', { signal })).data.largest_file

interface FileImportOptions {
  /** The id of the member whose mailbox or calendar it is. By default the signed-in member. */
  readonly member: string | undefined
  readonly signal: AbortSignal
  /** Called with the number of bytes that were sent. */
  readonly onSent: (bytes: number) => void
  /** Called with the progress of the import, which begins after the upload. */
  readonly onProgress: (progress: FileImportProgress) => void
}

/** Resolves with the result of the import. */
export async function importFile(
  file: File,
  { member, signal, onSent, onProgress }: FileImportOptions,
): Promise<FileImportProgress> {
  const onReceived = (text: string) => {
    const progress = lastLineOf(text)
    if (progress !== undefined) onProgress(progress)
  }
  const query = { file_name: file.name, member }
  const text = await workspaceApi.postForText('/file-imports', { query, body: file, signal, onSent, onReceived })
  const result = lastLineOf(text)
  if (result === undefined || result.state === 'running') throw unreachable()
  return result
}

/** Reads the last complete line. */
function lastLineOf(text: string): FileImportProgress | undefined {
  const end = text.lastIndexOf('\n')
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, Math.max(0, end))
  return line === '' ? undefined : (JSON.parse(line) as FileImportProgress) // the service writes these lines
}
