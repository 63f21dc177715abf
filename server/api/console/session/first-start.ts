/**
 * The first start of an installation creates a workspace and its admin, in one transaction and only once. The console or
 * the start of the service runs it.
 */

import { workspaceSlugOf } from '#vocabulary/slugs'
import { lockName } from '#engine/data-model/kysely-in-transaction'
import type { Database } from '#db/connect'
import { runInTransaction } from '#db/run-in-transaction'
import { createAccount, hasAccounts } from '#access/accounts/accounts'
import { audit } from '#access/audit-log/audit'
import { createMember } from '#access/members/members'
import type { Clock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'

export interface FirstAdmin {
  readonly email_address: string
  readonly password: string
  readonly first_name: string
  readonly last_name: string
  readonly workspace_name: string
}

export interface FirstWorkspace {
  readonly accountId: string
  readonly workspaceId: string
  readonly memberId: string
}

/** Runs `finish` in the same transaction. Returns undefined when an account exists already. */
export async function runFirstStart<T>(
  db: Database,
  admin: FirstAdmin,
  now: Clock,
  finish: (db: Database, workspace: FirstWorkspace) => Promise<T>,
): Promise<T | undefined> {
  return runInTransaction(db, async ({ tx, undoable }) => {
    await lockName(tx, 'relata first start')
    if (await hasAccounts({ sql: tx })) return undefined
    return undoable(async (inside) => finish(inside, await createWorkspaceWithAdmin(inside, admin, now)))
  })
}

async function createWorkspaceWithAdmin(db: Database, admin: FirstAdmin, now: Clock): Promise<FirstWorkspace> {
  const { workspace_name: name, email_address, first_name, last_name } = admin
  const { id: workspaceId } = await createWorkspace(db, {
    name,
    slug: workspaceSlugOf(name) || 'workspace',
    now: now(),
  })
  const { id: accountId } = await createAccount(db, admin, now())
  const person = { first_name, last_name, email_address, access_level: 'admin', account_id: accountId } as const
  const { id: memberId } = await createMember(db, workspaceId, person, now())
  await audit(db.sql, {
    actor: { type: 'workspace-member', id: memberId },
    workspaceId,
    action: 'workspace.created',
    subject: { type: 'workspace', id: workspaceId, name },
    now: now(),
  })
  return { accountId, workspaceId, memberId }
}
