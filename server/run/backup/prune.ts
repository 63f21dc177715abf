/** Removes old backups, the remains of backups that did not end, and the bytes of files that no kept backup names. */

import type { Retention } from '#access/installation/backup-schedule'
import {
  BACKUPS,
  contentsName,
  fileName,
  FILES,
  listBackups,
  readContents,
  readFileLines,
  type Repository,
} from './format'
import { type RepositoryLock, withLock } from './locks'
import { NameSet } from './name-set'

export interface Pruned {
  readonly backups: readonly string[]
  readonly files: number
}

interface PruneOptions {
  readonly retention: Retention
  /** In milliseconds since 1970. */
  readonly now: number
  readonly signal?: AbortSignal
}

/**
 * Throws `RepositoryInUse` while backups are written or read, and removes nothing when a kept backup is damaged. What is interrupted
 * is finished by the next call: a backup loses its contents first, and its folder last. Without an old backup there is no lock, which would
 * keep others from reading.
 */
export async function pruneBackups(repository: Repository, options: PruneOptions): Promise<Pruned> {
  const hasOld = (await findOld(repository, options)).folders.size > 0
  if (!hasOld) return { backups: [], files: 0 }
  return withLock(repository.target, 'exclusive', async (lock) => {
    const { kept, removed, folders } = await findOld(repository, options)
    if (folders.size === 0) return { backups: [], files: 0 }
    const needed = await readNeededFiles(repository, kept)
    const { signal } = options
    await removeAll(repository, iterate(removed.map(contentsName)), lock, signal)
    const files = await removeAll(repository, unneeded(repository, needed), lock, signal)
    for (const folder of folders) await removeAll(repository, repository.target.list(folder), lock, signal)
    for (const prefix of [BACKUPS, FILES]) {
      await lock.confirm()
      await repository.target.removeRemains(prefix)
    }
    return { backups: removed, files }
  })
}

async function findOld(repository: Repository, options: PruneOptions) {
  const complete = (await listBackups(repository.target)).filter((name) => BACKUP_NAME.test(name))
  const kept = new Set(listKept(complete, options))
  return { kept, removed: complete.filter((name) => !kept.has(name)), folders: await findFolders(repository, kept) }
}

/** `backups` are names, the oldest first. */
function listKept(backups: readonly string[], { retention: { count = 0, ageMs }, now }: PruneOptions): string[] {
  const isYoung = (name: string) => ageMs !== undefined && now - takenAt(name) <= ageMs
  return backups.filter((name, index) => index >= backups.length - Math.max(count, 1) || isYoung(name))
}

/** A name is the time of the snapshot with other separators, such as `2026-11-23T10-00-00.123456Z`. */
const takenAt = (name: string): number => Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

/** The folders of all backups but the kept ones, also of those that did not end. */
async function findFolders({ target }: Repository, kept: ReadonlySet<string>): Promise<Set<string>> {
  const folders = new Set<string>()
  for await (const name of target.list(BACKUPS)) {
    const [, backup = ''] = name.split('/')
    if (BACKUP_NAME.test(backup) && !kept.has(backup)) folders.add(`${BACKUPS}${backup}/`)
  }
  return folders
}

async function readNeededFiles(repository: Repository, kept: ReadonlySet<string>): Promise<NameSet> {
  const needed = new NameSet()
  for (const backup of kept) {
    const contents = await readContents(repository, backup)
    for await (const { digest } of readFileLines(repository, contents)) needed.add(fileName(repository, digest))
  }
  return needed
}

async function* unneeded({ target }: Repository, needed: NameSet) {
  for await (const name of target.list(FILES)) if (STORED_FILE.test(name) && !needed.has(name)) yield name
}

/** Other objects in the same place are left alone. */
const STORED_FILE = /^files\/[0-9a-f]{2}\/[0-9a-f]{64}$/
const BACKUP_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z$/

async function* iterate(names: readonly string[]) {
  yield* names
}

const BATCH_SIZE = 50

/** Confirms the lock before each batch, because another process may have taken it for stale. Returns the number of names. */
async function removeAll(
  { target }: Repository,
  names: AsyncIterable<string>,
  lock: RepositoryLock,
  signal?: AbortSignal,
): Promise<number> {
  let batch: string[] = []
  let removed = 0
  const flush = async () => {
    signal?.throwIfAborted()
    await lock.confirm()
    for (const name of batch) await target.remove(name)
    removed += batch.length
    batch = []
  }
  for await (const name of names) {
    batch.push(name)
    if (batch.length === BATCH_SIZE) await flush()
  }
  if (batch.length > 0) await flush()
  return removed
}
