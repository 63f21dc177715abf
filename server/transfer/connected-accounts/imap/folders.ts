/** Which folders of an account are read, by their SPECIAL-USE (RFC 6154). See docs/connected-accounts.md (Folders). */

import type { ListResponse } from 'imapflow'
import type { AccountProgress } from '#transfer/connected-accounts/settings'

type ListedFolder = Pick<ListResponse, 'path' | 'name' | 'specialUse' | 'flags'>

/** A folder with all messages, as Gmail has one, stands for the others. */
const ALL = '\\All'
const READ: readonly string[] = ['\\Inbox', '\\Sent', '\\Archive']
/** Never read, whatever the member chooses. */
const NEVER: readonly string[] = ['\\Drafts', '\\Junk', '\\Trash']

const isSelectable = ({ flags }: ListedFolder): boolean =>
  ![...flags].some((flag) => /^\\(?:noselect|nonexistent)$/i.test(flag))

export interface ChosenFolders {
  /** The paths of the folders that are read, the one of the inbox first. */
  readonly paths: ReadonlySet<string>
  /** The folder in which new messages arrive. */
  readonly inbox: string | undefined
  /** All folders that may be read, for people. */
  readonly collections: AccountProgress['collections']
}

export function chooseFolders(listed: readonly ListedFolder[], further: readonly string[] = []): ChosenFolders {
  const readable = listed.filter((folder) => isSelectable(folder) && !NEVER.includes(folder.specialUse ?? ''))
  const all = readable.find(({ specialUse }) => specialUse === ALL)
  const isRead = ({ path, specialUse = '' }: ListedFolder) =>
    further.includes(path) || (all === undefined ? READ.includes(specialUse) : specialUse === ALL)
  const inbox = all ?? readable.find(({ specialUse }) => specialUse === '\\Inbox')
  const paths = readable.filter(isRead).map(({ path }) => path)
  return {
    paths: new Set([...paths.filter((path) => path === inbox?.path), ...paths]),
    inbox: inbox?.path,
    collections: readable.map((folder) => ({ path: folder.path, name: folder.name, is_read: isRead(folder) })),
  }
}
