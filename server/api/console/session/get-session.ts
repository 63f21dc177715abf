/** Returns the signed-in account and its workspaces. Every page of the console reads them first. */

import type { Database } from '#db/connect'
import { hasAccounts } from '#access/accounts/accounts'
import { listWorkspacesOf } from '#access/members/memberships'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { readInstallation } from '#access/installation/hold'

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
      hold: null,
    }
  }
  const workspaces = await listWorkspacesOf(db, session)
  return {
    is_first_start: false,
    csrf_token: session.csrfToken,
    brand: settings.brand,
    /** For how many days deleted records can be restored. */
    trash_days: settings.trashDays,
    account: { id: session.accountId, email_address: session.emailAddress },
    /** The only workspace of the session, because its provider signed the account in. */
    session_workspace_id: session.workspaceId,
    workspaces,
    hold: workspaces.some(({ access_level }) => access_level === 'admin') ? await findHold(db) : null,
  }
}

/** The addresses of a database that may be a copy, while its webhooks and emails are held. An address is null for a local one. */
async function findHold({ sql }: Database): Promise<object | null> {
  const { stored, hold } = (await readInstallation(sql)) ?? {}
  if (stored === undefined || hold === undefined) return null
  return { held_at: hold.heldAt, served_url: stored.base_url, found_url: hold.found.base_url }
}
