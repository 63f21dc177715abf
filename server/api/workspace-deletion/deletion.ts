/**
 * Deletes and restores workspaces. A deleted workspace is not in `relata.workspaces`, so nothing finds it. It can be restored whole until
 * its removal begins. See docs/decisions/workspace-deletion.md.
 */

import { sql } from 'kysely'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { listDeletedWorkspacesOf, type SignedInAccount } from '#access/members/memberships'
import { notifyTokenChange } from '#access/tokens/tokens'
import { workspaceNotFound } from '#base/errors/access'
import { workspaceIsMoving } from '#base/errors/http'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { Database, Sql, Transaction } from '#db/connect'
import { notifyModelChange } from '#engine/data-model/change-model'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

/** For how many days a deleted workspace can be restored. */
const DELETED_DAYS = 30
const DAY: Micros = 86_400_000_000

export interface DeletedWorkspace {
  readonly id: string
  readonly number: number
  readonly slug: string
  readonly name: string
  readonly deletedAt: Micros
  /** When the removal is due. */
  readonly removedAt: Micros
  /** Whether the removal has begun, so that the workspace cannot be restored. */
  readonly isBeingRemoved: boolean
  /** The address of the service to which the workspace has moved, so that it cannot be restored; null for one that was deleted. */
  readonly movedTo: string | null
}

const removalDueAt = (deletedAt: Micros): Micros => deletedAt + DELETED_DAYS * DAY

interface RestorableWorkspace {
  readonly id: string
  readonly name: string
  readonly slug: string
  /** The account as a member. */
  readonly workspace_member_id: string
  readonly deleted_at: string
  readonly removed_at: string
}

interface Deletion extends AuditActor {
  readonly now: Micros
}

/** Of a workspace that has moved, the address of the other service. */
interface DeletionOrMove extends Deletion {
  readonly movedTo?: string
}

/**
 * Makes a workspace disappear in all processes. Its version of the data model changes, so that no process writes to it with a cached
 * model. Throws 404 for a workspace that is deleted already, and 503 for one that moves to another address than `movedTo`.
 */
export async function deleteWorkspace(
  db: Database,
  workspaceId: string,
  { actor, address, now, movedTo }: DeletionOrMove,
): Promise<Micros> {
  await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const workspace = await control
      .selectFrom('relata.workspaces')
      .select(['name', 'slug', 'moved_to'])
      .where('id', '=', workspaceId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (workspace === undefined) throw workspaceNotFound(workspaceId)
    if (workspace.moved_to !== (movedTo ?? null)) throw workspaceIsMoving()
    await notifyModelChange(tx, workspaceId)
    const [deleted_at, due_at] = [now, removalDueAt(now)].map(timestampFromMicros)
    await control.updateTable('relata.workspaces').set({ deleted_at }).where('id', '=', workspaceId).execute()
    await control.insertInto('relata.workspace_removals').values({ workspace_id: workspaceId, due_at }).execute()
    await notifyTokenChanges(tx, workspaceId)
    await audit(tx, {
      actor,
      address,
      workspaceId,
      action: movedTo === undefined ? 'workspace.deleted' : 'workspace.moved',
      subject: { type: 'workspace', id: workspaceId, name: workspace.name },
      details: { slug: workspace.slug, removed_at: due_at, ...(movedTo !== undefined && { moved_to: movedTo }) },
      now,
    })
  })
  return removalDueAt(now)
}

/** All processes remove the tokens of the workspace from their caches. */
export async function notifyTokenChanges(tx: Transaction, workspaceId: string): Promise<void> {
  await controlQueriesIn(tx)
    .selectFrom('relata.tokens')
    .select(notifyTokenChange.as('notified'))
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Throws 404 for a workspace that is not deleted, for one whose removal has begun, and for one that has moved. */
export async function restoreWorkspace(
  db: Database,
  workspaceId: string,
  { actor, address, now }: Deletion,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const stopped = await control
      .deleteFrom('relata.workspace_removals')
      .where('workspace_id', '=', workspaceId)
      .where('begun_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('relata.all_workspaces')
            .select('id')
            .where(equal({ id: workspaceId }))
            .where('moved_to', 'is', null),
        ),
      )
      .returning('workspace_id')
      .executeTakeFirst()
    if (stopped === undefined) throw workspaceNotFound(workspaceId)
    const { name, slug } = await control
      .updateTable('relata.all_workspaces')
      .set({ deleted_at: null })
      .where('id', '=', workspaceId)
      .returning(['name', 'slug'])
      .executeTakeFirstOrThrow()
    await notifyModelChange(tx, workspaceId)
    await audit(tx, {
      actor,
      address,
      workspaceId,
      action: 'workspace.restored',
      subject: { type: 'workspace', id: workspaceId, name },
      details: { slug },
      now,
    })
  })
}

/** The deleted workspaces that an account can restore: it is an admin, and its session could open them. */
export async function listRestorableWorkspaces(db: Database, session: SignedInAccount): Promise<RestorableWorkspace[]> {
  const deleted = await listDeletedWorkspacesOf(db, session)
  return deleted
    .filter(
      ({ access_level, missing_step, movedTo }) =>
        access_level === 'admin' && missing_step === null && movedTo === null,
    )
    .map(({ id, name, slug, workspace_member_id, deletedAt }) => ({
      id,
      name,
      slug,
      workspace_member_id,
      deleted_at: timestampFromMicros(deletedAt),
      removed_at: timestampFromMicros(removalDueAt(deletedAt)),
    }))
}

/** In the order of creation. */
export async function listDeletedWorkspaces(on: Sql): Promise<DeletedWorkspace[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.all_workspaces as w')
    .innerJoin('relata.workspace_removals as r', 'r.workspace_id', 'w.id')
    .select(['w.id', 'w.number', 'w.slug', 'w.name', 'w.deleted_at', 'w.moved_to as movedTo'])
    .select(sql<boolean>`r.begun_at is not null`.as('isBeingRemoved'))
    .orderBy('w.number')
    .$narrowType<{ deleted_at: string }>()
    .execute()
  return rows.map(({ deleted_at, ...workspace }) => {
    const deletedAt = microsFromPostgres(deleted_at)
    return { ...workspace, deletedAt, removedAt: removalDueAt(deletedAt) }
  })
}
