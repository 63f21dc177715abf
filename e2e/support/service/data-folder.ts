/** The data folder of a service with an embedded PostgreSQL, and access to both processes. */

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReader, type Reader } from './database'
import { until } from '../until'

export interface DataFolder {
  readonly path: string
  withReader<T>(work: (reader: Reader) => PromiseLike<T>): Promise<T>
  /** Kills PostgreSQL and resolves when the service has started another. `why` returns the reason of a timeout. */
  killDatabase(why: () => string): Promise<void>
  /** Removes the folder, and ends the PostgreSQL of a crashed service. */
  remove(): void
}

export function dataFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'relata-e2e-'))
  chmodSync(path, 0o755) // the user of PostgreSQL needs access
  const postmaster = () => pidIn(join(path, 'postgres', 'postmaster.pid'))
  return {
    path,
    async withReader(work) {
      const { port, password } = JSON.parse(readFileSync(join(path, 'database.json'), 'utf8'))
      const reader = openReader(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
      return Promise.resolve(work(reader)).finally(() => reader.end())
    },
    async killDatabase(why) {
      const killed = postmaster()
      if (killed === undefined) throw new Error('PostgreSQL does not run.')
      process.kill(killed, 'SIGKILL')
      await until(() => ![undefined, killed].includes(postmaster()), { why })
    },
    remove() {
      const left = postmaster()
      if (left !== undefined) process.kill(left, 'SIGINT')
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** The process id in the file; undefined while the file is missing or empty. */
function pidIn(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}
