/**
 * Locks of a repository, as objects in it, because its users have nothing else in common: another machine or another database may
 * read a backup while the service removes old ones. A shared lock is held while backups are written or read, the exclusive one while old
 * ones are removed. Each process writes its lock first and then lists the others, so of two that exclude each other at least one
 * notices. A process renews its lock; one that was not renewed for `STALE_MS` is of a dead process. See docs/decisions/backups.md.
 */

import { logError } from '#base/logging/log-error'
import { runPeriodically } from '#base/timing/run-periodically'
import { CommandError } from '#run/cli/command'
import { textChunks } from './format'
import type { BackupTarget } from './target'

const LOCKS = 'locks/'
type Mode = 'shared' | 'exclusive'

const RENEW_EVERY_MS = 60_000
/** By the clock of the target. */
export const STALE_MS = 20 * 60_000
/** A process that could not renew its lock for so long gives up, before others take the lock for stale. */
const LOST_MS = STALE_MS / 2

export interface RepositoryLock {
  /** Throws `LostLock` when the lock may be taken for stale, or was. */
  confirm(): Promise<void>
  release(): Promise<void>
}

/** The machine was paused, or the target could not be reached, for longer than a lock lasts. */
class LostLock extends CommandError {}

/** Another process uses the repository in a way that excludes this one. */
export class RepositoryInUse extends CommandError {}

/** Runs `use` while it holds a lock. Throws `RepositoryInUse`. */
export async function withLock<T>(target: BackupTarget, mode: Mode, use: (lock: RepositoryLock) => Promise<T>) {
  const lock = await takeLock(target, mode)
  try {
    return await use(lock)
  } finally {
    // A lock that stays is stale soon.
    await lock.release().catch((error: unknown) => logError('The lock of the backups could not be removed.', error))
  }
}

/** Runs `use` while it holds a shared lock, or without one where nothing can be written, such as on a read-only disk. */
export async function withReadLock<T>(target: BackupTarget, use: () => Promise<T>, warn: (text: string) => void) {
  let lock: RepositoryLock | undefined
  try {
    lock = await takeLock(target, 'shared')
  } catch (error) {
    if (error instanceof RepositoryInUse) throw error
    warn(`Nothing can be written to ${target.place}, so the removal of old backups does not wait for this command.`)
  }
  try {
    return await use()
  } finally {
    await lock?.release().catch(() => {})
  }
}

async function takeLock(target: BackupTarget, mode: Mode): Promise<RepositoryLock> {
  const name = `${LOCKS}${mode}-${crypto.randomUUID()}`
  let renewed = readClocks()
  const isLost = () => readClocks().some((clock, index) => clock - (renewed[index] ?? 0) > LOST_MS)
  const lost = () => new LostLock(`The lock of ${target.place} was lost, because it could not be renewed for minutes.`)
  const write = async () => {
    const before = readClocks()
    await target.write(name, textChunks(`${new Date().toISOString()}\n`))
    renewed = before
  }
  await write()
  try {
    await refuseOthers(target, name, mode)
  } catch (error) {
    await target.remove(name).catch(() => {})
    throw error
  }
  const renewal = runPeriodically(
    RENEW_EVERY_MS,
    async () => {
      if (!isLost() && (await target.find(name)) !== undefined) await write()
    },
    'The lock of the backups could not be renewed.',
  )
  return {
    async confirm() {
      if (isLost() || (await target.find(name)) === undefined) throw lost()
    },
    async release() {
      await renewal.stop()
      await target.remove(name)
    },
  }
}

/** The time of day goes on while a machine is suspended, and the other clock when somebody sets the time of day. */
const readClocks = () => [Date.now(), performance.now()] as const

/** Removes the stale locks that exclude this one. */
async function refuseOthers(target: BackupTarget, own: string, mode: Mode): Promise<void> {
  const { writtenAt: now } = (await target.find(own)) ?? { writtenAt: 0 }
  for await (const name of target.list(LOCKS)) {
    if (name === own || (mode === 'shared' && name.startsWith(`${LOCKS}shared-`))) continue
    const other = await target.find(name)
    if (other === undefined) continue
    if (now - other.writtenAt <= STALE_MS) {
      throw new RepositoryInUse(
        mode === 'shared'
          ? `Old backups in ${target.place} are being removed; try again in some minutes.`
          : `The backups in ${target.place} are being written or read, so none is removed now.`,
      )
    }
    await target.remove(name)
  }
}
