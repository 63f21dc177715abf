/**
 * Removes deleted workspaces for good: their apps, schema, SQL role, control rows and files, in small steps. A removal that was
 * interrupted begins anew and finds what is left. See docs/decisions/workspace-deletion.md.
 */

import { sql } from 'kysely'
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { listApps } from '#access/oauth/apps/apps'
import { deleteAppWithGrants } from '#access/oauth/apps/register-app'
import { logError } from '#base/logging/log-error'
import { timestampFromMicros } from '#base/timing/clock'
import { pauseAfterStep } from '#base/timing/wait'
import type { AppContext } from '#context'
import type { BlobStore } from '#crm/blobs/blob-store'
import { deleteExpired, listBlobs } from '#crm/blobs/store'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Lease, leaseOf, type Queue, queueWorker, renewed, takeDue, updateLeased } from '#engine/queue'
import { dropSqlRole } from '#engine/sql/roles/sql-roles'
import { deleteControlRows, dropSchema } from '#engine/workspaces/remove-workspace'
import { type DeletedWorkspace, listDeletedWorkspaces } from './deletion'

export interface RemovalContext extends Pick<AppContext, 'db' | 'now'> {
  readonly blobs: BlobStore
}

/** A copy of a database removes nothing before a decision, because it may share the files with its original. */
const removalQueue = {
  table: 'relata.workspace_removals',
  id: 'workspace_id',
  lease: 120_000_000,
  isBeyondWorkspaces: true,
  sends: true,
  onTake: (at: string) => ({ begun_at: sql<never>`coalesce(q.begun_at, ${at}::timestamptz)` }),
} as const satisfies Queue<'relata.workspace_removals'>

const RENEWED_EVERY_MS = 30_000

export const removalWorker = queueWorker<RemovalContext>({
  name: 'workspace removal',
  does: 'removes workspaces that were deleted thirty days ago',
  queue: removalQueue,
  everyMs: 60_000,
  async take(context, stopping) {
    const lease = await takeRemoval(context)
    return lease && (() => removeTaken(context, lease, { stopping, pause: pauseAfterStep }))
  },
})

async function takeRemoval({ db, now }: RemovalContext, workspaceId?: string): Promise<Lease | undefined> {
  const [due] = await takeDue(db, removalQueue, { now: now(), limit: 1, ...(workspaceId && { workspaceId }) })
  return due && leaseOf(removalQueue, due)
}

/** Removes a deleted workspace now. Returns false when another process removes it, or when the database may be a copy. */
export async function removeNow(context: RemovalContext, workspaceId: string): Promise<boolean> {
  await context.db.control
    .updateTable('relata.workspace_removals')
    .set({ due_at: timestampFromMicros(context.now()) })
    .where('workspace_id', '=', workspaceId)
    .where('leased_by', 'is', null)
    .execute()
  const lease = await takeRemoval(context, workspaceId)
  return lease !== undefined && removeTaken(context, lease, { pause: async () => undefined })
}

interface Pace {
  readonly stopping?: AbortSignal
  /** Called after each step with its duration. */
  readonly pause: (ms: number) => Promise<void>
}

/** Returns whether the workspace is removed. Otherwise the removal is due again when the lease ends. */
async function removeTaken(context: RemovalContext, lease: Lease, { stopping, pause }: Pace): Promise<boolean> {
  const { db, now } = context
  const workspace = (await listDeletedWorkspaces(db.sql)).find(({ id }) => id === lease.workspaceId)
  if (workspace === undefined) return false
  let renewedAt = performance.now()
  let startedAt = renewedAt
  for await (const _ of stepsOf(context, workspace)) {
    if (stopping?.aborted) return false
    if (performance.now() - renewedAt > RENEWED_EVERY_MS) {
      const isHeld = await updateLeased(db.sql, removalQueue, lease, renewed(removalQueue, now()), 'workspace_id')
      if (isHeld === undefined) return false
      renewedAt = performance.now()
    }
    await pause(performance.now() - startedAt)
    startedAt = performance.now()
  }
  return true
}

/** The rows of these tables go last: blobs with their bytes, the others with the workspace. */
const LAST_TABLES = ['blobs', 'workspace_removals']

async function* stepsOf(context: RemovalContext, workspace: DeletedWorkspace): AsyncGenerator<void> {
  const { db } = context
  yield* deleteApps(context, workspace)
  yield* dropSchema(db.sql, workspace.number)
  await dropRole(context, workspace)
  yield* deleteControlRows(db.sql, workspace.id, LAST_TABLES)
  yield* deleteBlobs(context, workspace)
  await deleteWorkspaceRow(context, workspace)
}

/** Ends the grants of its apps in other workspaces as well. */
async function* deleteApps({ db, now }: RemovalContext, { id }: DeletedWorkspace): AsyncGenerator<void> {
  for (const app of await listApps(db, id)) {
    await db.sql.begin((tx) => deleteAppWithGrants(tx, app, { ...COMMAND_LINE, now: now() }))
    yield
  }
}

/** Without its tables, a role that remains can read nothing. */
const dropRole = ({ db }: RemovalContext, { number, slug }: DeletedWorkspace): Promise<void> =>
  dropSqlRole(db, number).catch((error: unknown) => logError('A role for SQL was not dropped.', error, { slug }))

/** Nothing refers to the blobs any more. */
async function* deleteBlobs({ db, blobs }: RemovalContext, { id }: DeletedWorkspace): AsyncGenerator<void> {
  for (;;) {
    const keys = await listBlobs(db.sql, id, BLOBS_AT_ONCE)
    if (keys.length === 0) return
    for (const key of keys) {
      const isDeleted = await deleteExpired(db.sql, key, 0, () => blobs.bytes.remove(key))
      if (!isDeleted) throw new Error('A file of a deleted workspace is in use.')
    }
    yield
  }
}

const BLOBS_AT_ONCE = 100

/** The audit log of the workspace is gone, so the entry belongs to none. */
async function deleteWorkspaceRow({ db, now }: RemovalContext, workspace: DeletedWorkspace): Promise<void> {
  const { id, name, slug, deletedAt } = workspace
  await db.sql.begin(async (tx) => {
    await controlQueriesIn(tx).deleteFrom('relata.all_workspaces').where('id', '=', id).execute()
    const subject = { type: 'workspace', id, name }
    const details = { slug, deleted_at: timestampFromMicros(deletedAt) }
    const actor = { type: 'system', id: null }
    await audit(tx, { actor, workspaceId: null, action: 'workspace.removed', subject, details, now: now() })
  })
}
