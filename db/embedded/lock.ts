/**
 * One owner at a time for a data folder. The lock is a lock of the operating system on a file, so it ends with the
 * process that holds it, however that ends; SQLite is used only because it locks files alike on every system.
 */

import { Database } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A service keeps the folder until it is stopped; a command or a test run is soon done. */
export type Purpose = 'service' | 'command'

export interface Holder {
  readonly pid: number
  readonly purpose: Purpose
}

export interface Lock {
  release(): void
}

/** How long to wait for a command that is using the folder. */
const PATIENCE_MS = 60_000

/** The lock, or the service that holds it. Waits for commands, which are soon done. */
export async function takeLock(dataDir: string, purpose: Purpose): Promise<Lock | Holder> {
  for (const begun = Date.now(); ; await Bun.sleep(50)) {
    const result = tryLock(dataDir, purpose)
    if (isLock(result) || result.purpose === 'service' || Date.now() - begun > PATIENCE_MS) return result
  }
}

function tryLock(dataDir: string, purpose: Purpose): Lock | Holder {
  const holderFile = join(dataDir, 'in-use.json')
  const lockFile = join(dataDir, 'in-use.lock')
  closeSync(openSync(lockFile, 'a', 0o600)) // made closed to others, who could lock what they can read
  const file = new Database(lockFile)
  try {
    file.run('pragma busy_timeout = 0')
    file.run('begin exclusive')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    return readHolder(holderFile)
  }
  writeFileSync(holderFile, JSON.stringify({ pid: process.pid, purpose } satisfies Holder))
  return { release: () => file.close() }
}

export const isLock = (result: Lock | Holder): result is Lock => 'release' in result

function readHolder(file: string): Holder {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { pid: 0, purpose: 'command' } // it has just been taken and the note is being written: worth another look
  }
}
