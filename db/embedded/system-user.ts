/** Chooses the system user that runs PostgreSQL, because PostgreSQL refuses to run as root. */

import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Empty when the service itself does not run as root. */
export interface SystemUser {
  readonly uid?: number
  readonly gid?: number
}

/** The id of the user and group `nobody` on most systems. */
const NOBODY = 65534

/** Holds what `nobody` cannot reach in the data folder. Only root can write to it. */
const SYSTEM_FOLDER = '/var/lib/relata'

/** Returns the owner of an existing cluster, `nobody` for a new one, and no user unless the service runs as root. */
export function chooseSystemUser(cluster: string): SystemUser {
  if (process.getuid?.() !== 0) return {}
  if (!existsSync(cluster)) return { uid: NOBODY, gid: NOBODY }
  const { uid, gid } = statSync(cluster)
  return { uid, gid }
}

/** Tells whether the user may enter every folder above `path`. */
export function canEnter(path: string, { uid }: SystemUser): boolean {
  if (uid === undefined) return true
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid: owner } = statSync(folder)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** Creates a folder in the system folder that all users may enter, independent of root's umask. */
export function createSystemFolder(name = ''): string {
  const folder = join(SYSTEM_FOLDER, name)
  mkdirSync(folder, { recursive: true })
  chmodSync(SYSTEM_FOLDER, 0o755)
  chmodSync(folder, 0o755)
  return folder
}
