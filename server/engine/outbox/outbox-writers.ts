/**
 * Runs the writes of this process to the outboxes of workspaces. The process registers before it writes, so that another process
 * finds the events if this one is killed before it publishes them. See docs/decisions/events.md.
 */

import type { Database, Pools } from '#db/connect'
import { createUnpublishedWorkspaces, type UnpublishedWorkspaces } from './unpublished-workspaces'
import { createWriterRegistrations } from './writer-registrations'

export interface OutboxWriter {
  run<T>(workspaceId: string, write: () => Promise<T>): Promise<T>
  readonly unpublished: UnpublishedWorkspaces
  /** From now on, this process publishes the events that it writes. */
  startPublishing(): void
  /** Deletes the registrations that this process has not used for some time. */
  releaseUnused(): Promise<void>
  /** Deletes all registrations, except where events may be left. No write may follow. */
  close(): Promise<void>
}

/**
 * Runs a write that may append events to the outbox of a workspace. `write` includes the commit. Within `runInTransaction`, the
 * caller of that function has registered.
 */
export const asOutboxWriter = <T>(db: Database, workspaceId: string, write: () => Promise<T>): Promise<T> =>
  db.isInTransaction ? write() : outboxWriterOf(db).run(workspaceId, write)

const writers = new WeakMap<Pools, OutboxWriter>()

/** Always the same for a process. */
export function outboxWriterOf({ pools }: Database): OutboxWriter {
  const existing = writers.get(pools)
  if (existing !== undefined) return existing
  const writer = createOutboxWriter(pools)
  writers.set(pools, writer)
  return writer
}

/** `clock` returns monotonic milliseconds. */
export function createOutboxWriter(
  pools: Pick<Pools, 'sql' | 'applicationName'>,
  clock: () => number = () => performance.now(),
): OutboxWriter {
  const registrations = createWriterRegistrations(pools, clock)
  const unpublished = createUnpublishedWorkspaces()
  /** The number of writes that run, by workspace. */
  const running = new Map<string, number>()

  function end(workspaceId: string): void {
    const left = (running.get(workspaceId) ?? 1) - 1
    if (left === 0) running.delete(workspaceId)
    else running.set(workspaceId, left)
    unpublished.add(workspaceId)
  }
  const used = () => new Set([...running.keys(), ...unpublished.ids()])

  return {
    unpublished,
    async run(workspaceId, write) {
      running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
      try {
        await registrations.ensure(workspaceId)
        return await write()
      } finally {
        end(workspaceId)
      }
    },
    startPublishing: registrations.startPublishing,
    releaseUnused: () => registrations.deleteEnded(used()),
    close: () => registrations.close(used()),
  }
}
