/** The emails to people whom an identity provider adds. An email that cannot be sent does not fail the request. */

import { findMember } from '#access/members/members'
import { invitationEmail, welcomeEmail } from '#crm/email/account-emails'
import type { Email } from '#crm/email/send-email'
import { logError } from '#base/logging/log-error'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ScimContext } from '#api/scim/scim-context'

/** Without a mail server, an admin renews the invitation at the console and gets its link. */
export async function sendInvitation(context: ScimContext, emailAddress: string, token: string): Promise<void> {
  const { appContext, db, workspaceId, memberId } = context
  const inviter = await findMember(db, workspaceId, memberId)
  const invited = {
    email_address: emailAddress,
    workspace_name: await nameOfWorkspace(context),
    inviter: `${inviter?.first_name ?? ''} ${inviter?.last_name ?? ''}`.trim(),
  }
  await send(context, invitationEmail(appContext.settings, invited, token))
}

export async function sendWelcome(context: ScimContext, emailAddress: string): Promise<void> {
  const { appContext } = context
  await send(context, welcomeEmail(appContext.settings, emailAddress, await nameOfWorkspace(context)))
}

async function nameOfWorkspace({ db, workspaceId }: ScimContext): Promise<string> {
  const workspace = await controlQueriesIn(db.sql)
    .selectFrom('relata.workspaces')
    .select('name')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return workspace.name
}

async function send({ appContext }: ScimContext, email: Email): Promise<void> {
  await appContext.mail
    .send(email)
    .catch((error: unknown) => logError('The email to a person whom an identity provider added was not sent.', error))
}
