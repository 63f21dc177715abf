/**
 * Removes the temporary files of processes that ended without removing them. The name of a file begins with that of its process,
 * whose connections show that it runs (`db/process-name.ts`), also on another machine that shares the folder.
 * Decision 0104.
 */

import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '#db/connect'
import { findDisconnected } from '#db/process-name'
import { errorCodeOf } from '#base/logging/log-error'
import type { TemporaryFiles } from './temporary-file'

/** A process that writes a file writes to it more often. */
const MIN_AGE_MS = 60_000

export interface DeadFileCheck {
  /** Removes the old files of processes that had no connection now and at the call before. */
  remove(nowMs: number): Promise<void>
}

export function createDeadFileCheck(sql: Sql, { folder, process }: TemporaryFiles): DeadFileCheck {
  let disconnected: ReadonlySet<string> = new Set()
  return {
    async remove(nowMs) {
      const names = (await namesIn(folder)).filter((name) => processOf(name) !== process)
      const before = disconnected
      disconnected = await findDisconnected(sql, [...new Set(names.map(processOf))])
      for (const name of names) {
        const isDead = disconnected.has(processOf(name)) && before.has(processOf(name))
        if (isDead && (await isOld(join(folder, name), nowMs))) await rm(join(folder, name), { force: true })
      }
    },
  }
}

const processOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('.')))

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }))
  return mtimeMs < nowMs - MIN_AGE_MS
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(await opendir(folder))).map(({ name }) => name)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw error
  }
}
