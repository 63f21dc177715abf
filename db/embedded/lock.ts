/**
 * Locks a data folder for one process. The lock is a file lock of the operating system, so it ends with its process, also
 * when that is killed. SQLite takes the lock, because it locks files in the same way on every operating system.
 */

import { Database } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A service keeps the lock until it is stopped; a command keeps it for a short time. */
export type LockPurpose = 'service' | 'command'

export interface LockOwner {
  readonly pid: number
  readonly purpose: LockPurpose
}

export interface Lock {
  release(): void
}

/** How long to wait for a command to release the lock. */
const LOCK_TIMEOUT_MS = 60_000

/** Returns the lock, or the service that has it. Waits while a command has it. */
export async function takeLock(dataDir: string, purpose: LockPurpose): Promise<Lock | LockOwner> {
  for (const startedAt = Date.now(); ; await Bun.sleep(50)) {
    const result = tryLock(dataDir, purpose)
    if (isLock(result) || result.purpose === 'service' || Date.now() - startedAt > LOCK_TIMEOUT_MS) return result
  }
}

function tryLock(dataDir: string, purpose: LockPurpose): Lock | LockOwner {
  const ownerFile = join(dataDir, 'in-use.json')
  const lockFile = join(dataDir, 'in-use.lock')
  closeSync(openSync(lockFile, 'a', 0o600)) // other users could lock a file that they can read
  const file = new Database(lockFile)
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    return readOwner(ownerFile)
  }
  writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, purpose } satisfies LockOwner))
  return { release: () => file.close() }
}

export const isLock = (result: Lock | LockOwner): result is Lock => 'release' in result

function readOwner(file: string): LockOwner {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { pid: 0, purpose: 'command' } // the owner has the lock and is still writing this file, so the caller tries again
  }
}
