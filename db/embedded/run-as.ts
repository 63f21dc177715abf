/** PostgreSQL refuses to run as root; who it runs as then, and what that user can reach. */

import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Empty when we run as an ordinary user ourselves. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

/** The user `nobody` of most systems. */
const NOBODY = 65534

/** For what root keeps outside the data folder because `nobody` cannot reach it there. Only root can write to it. */
const SYSTEM_FOLDER = '/var/lib/relata'

/** The owner of a cluster that exists, `nobody` for a new one, ourselves unless we are root. */
export function chooseUser(cluster: string): RunAs {
  if (process.getuid?.() !== 0) return {}
  if (!existsSync(cluster)) return { uid: NOBODY, gid: NOBODY }
  const { uid, gid } = statSync(cluster)
  return { uid, gid }
}

/** Whether the user may enter every folder above `path`. */
export function canReach(path: string, { uid }: RunAs): boolean {
  if (uid === undefined) return true
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid: owner } = statSync(folder)
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** A folder there that everyone may enter, whatever root's umask is. */
export function makeSystemFolder(name = ''): string {
  const folder = join(SYSTEM_FOLDER, name)
  mkdirSync(folder, { recursive: true })
  chmodSync(SYSTEM_FOLDER, 0o755)
  chmodSync(folder, 0o755)
  return folder
}
