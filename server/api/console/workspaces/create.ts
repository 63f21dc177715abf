/** Creates a further workspace. An account that is an admin of a workspace can create more. */

import { runInTransaction } from '#db/run-in-transaction'
import { audit } from '#access/audit-log/audit'
import { createMember } from '#access/members/members'
import { listWorkspacesOf, type WorkspaceOfAccount } from '#access/members/memberships'
import { adminsOnly } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import type { WorkspaceBody } from './schemas'
import { asSlugTaken } from './slug-taken'

/** The account becomes the admin, with the names it has in another workspace. Throws 403, and 409 for the slug. */
export async function createWorkspaceFor(
  { db, now }: AppContext,
  session: ConsoleSession,
  { name, slug }: WorkspaceBody,
  address: string | null,
): Promise<WorkspaceOfAccount> {
  const { accountId: account_id, emailAddress: email_address } = session
  const existing = (await listWorkspacesOf(db, session)).find(isOpenAdmin)
  if (existing === undefined) throw adminsOnly()
  const { first_name, last_name } = existing
  const created = await runInTransaction(db, ({ undoable }) =>
    undoable(async (inside) => {
      const { id } = await createWorkspace(inside, { name, slug, now: now() })
      const admin = { first_name, last_name, email_address, access_level: 'admin', account_id } as const
      const member = await createMember(inside, id, admin, now())
      const actor = { type: 'workspace-member', id: member.id }
      const subject = { type: 'workspace', id, name }
      await audit(inside.sql, {
        actor,
        address,
        workspaceId: id,
        action: 'workspace.created',
        subject,
        details: { slug },
        now: now(),
      })
      return { id, workspace_member_id: member.id }
    }),
  ).catch(asSlugTaken(slug))
  const person = { access_level: 'admin', first_name, last_name } as const
  const settings = { logo_url: null, member_permissions: [], default_country: null }
  return { ...created, name, slug, ...settings, ...person, missing_step: null }
}

const isOpenAdmin = ({ access_level, missing_step }: WorkspaceOfAccount) =>
  access_level === 'admin' && missing_step === null
