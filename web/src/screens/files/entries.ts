/** What entries are called, and where they lead. */

import { type FileEntry, idOfFile } from '../../api/files/files'
import { LOCALE } from '../../language'

export const titleOf = (entry: FileEntry): string => ('name' in entry ? entry.name : entry.external_provider_file_id)

/** On the page of the record. Entries of other providers have no link. */
export function linkOf(entry: FileEntry): string | undefined {
  if (entry.file_type === 'folder') return `?tab=files&folder=${idOfFile(entry)}`
  if (entry.file_type !== 'file') return undefined
  const { parent_folder_id: folder } = entry
  return `?tab=files${folder === null ? '' : `&folder=${folder}`}&file=${idOfFile(entry)}`
}

/** Folders first, each kind by name. */
export const inOrder = (entries: readonly FileEntry[]): readonly FileEntry[] =>
  entries.toSorted((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || names.compare(titleOf(a), titleOf(b)))

const isFolder = ({ file_type }: FileEntry): boolean => file_type === 'folder' || file_type === 'connected-folder'

const names = new Intl.Collator(LOCALE, { numeric: true })
