/** Returns the signed-in account and its workspaces. Every page of the console reads them first. */

import { hasAccounts } from '../../access/accounts/accounts'
import { listWorkspacesOf } from '../../access/members/memberships'
import type { ConsoleSession } from '../../http/guard/session-guard'
import type { AppContext } from '../../context'

export async function getSession({ db, settings }: AppContext, session: ConsoleSession | undefined): Promise<object> {
  if (session === undefined) {
    return {
      is_first_start: !(await hasAccounts(db)),
      csrf_token: null,
      brand: settings.brand,
      trash_days: settings.trashDays,
      account: null,
      session_workspace_id: null,
      workspaces: [],
    }
  }
  return {
    is_first_start: false,
    csrf_token: session.csrfToken,
    brand: settings.brand,
    /** For how many days deleted records can be restored. */
    trash_days: settings.trashDays,
    account: { id: session.accountId, email_address: session.emailAddress },
    /** The only workspace of the session, because its provider signed the account in. */
    session_workspace_id: session.workspaceId,
    workspaces: await listWorkspacesOf(db, session),
  }
}
