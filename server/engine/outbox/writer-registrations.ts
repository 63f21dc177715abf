/** The registrations of one process as a writer of outboxes. See docs/decisions/events.md. */

import type { Pools } from '#db/connect'
import { logError } from '#base/logging/log-error'
import { createDelayedCall } from '#base/timing/wait'

export interface WriterRegistrations {
  /** Resolves when the process is registered for the workspace. */
  ensure(workspaceId: string): Promise<void>
  /** From now on, registrations say that this process publishes what it writes. */
  startPublishing(): void
  /** Deletes the registrations that have ended, except those of these workspaces. */
  deleteEnded(except: ReadonlySet<string>): Promise<void>
  /** Deletes all registrations, except those of these workspaces. */
  close(except: ReadonlySet<string>): Promise<void>
}

interface Registration {
  /** By the monotonic clock of this process, in milliseconds. */
  validUntil: number
  renewAt: number
  /** The statement that runs. */
  registering?: Promise<void>
}

/** PostgreSQL's clock decides when a registration ends for other processes. This process stops using it earlier. */
const REGISTERED_S = 60
const VALID_MS = 40_000
const RENEW_AFTER_MS = 20_000
/** Renewals are collected for this time, and sent in one statement. */
const COLLECT_RENEWALS_MS = 500

/** `clock` returns monotonic milliseconds. */
export function createWriterRegistrations(
  { sql, applicationName }: Pick<Pools, 'sql' | 'applicationName'>,
  clock: () => number,
): WriterRegistrations {
  const registrations = new Map<string, Registration>()
  const toRenew = new Set<string>()
  let isPublishing = false

  async function register(workspaceIds: readonly string[]): Promise<void> {
    const sentAt = clock()
    await sql`
      insert into relata.outbox_writers (workspace_id, process, is_publishing, registered_until)
      select id, ${applicationName}, ${isPublishing}, clock_timestamp() + make_interval(secs => ${REGISTERED_S})
      from unnest(${workspaceIds}::uuid[]) as id
      on conflict (workspace_id, process)
        do update set is_publishing = excluded.is_publishing, registered_until = excluded.registered_until`
    for (const id of workspaceIds)
      registrations.set(id, { validUntil: sentAt + VALID_MS, renewAt: sentAt + RENEW_AFTER_MS })
  }

  const renewal = createDelayedCall(() => {
    const ids = [...toRenew]
    toRenew.clear()
    register(ids).catch((error: unknown) => logError('A registration could not be renewed yet.', error))
  }, COLLECT_RENEWALS_MS)

  const isValid = (id: string) => (registrations.get(id)?.validUntil ?? -Infinity) > clock()

  async function ensure(id: string): Promise<void> {
    const registration = registrations.get(id) ?? { validUntil: -Infinity, renewAt: Infinity }
    if (!isValid(id)) {
      registrations.set(id, registration)
      await (registration.registering ??= register([id]).finally(() => delete registration.registering))
    } else if (clock() >= registration.renewAt) {
      registration.renewAt = Infinity
      toRenew.add(id)
      renewal.request()
    }
  }

  return {
    ensure,
    startPublishing() {
      isPublishing = true
      registrations.clear()
    },
    async deleteEnded(except) {
      for (const id of registrations.keys()) if (!isValid(id) && !except.has(id)) registrations.delete(id)
      // A registration that a write renews meanwhile stays.
      await sql`
        delete from relata.outbox_writers
        where process = ${applicationName} and registered_until < clock_timestamp()
          and workspace_id <> all(${[...except]}::uuid[])`
    },
    async close(except) {
      renewal.cancel()
      registrations.clear()
      await sql`
        delete from relata.outbox_writers
        where process = ${applicationName} and workspace_id <> all(${[...except]}::uuid[])`
    },
  }
}
