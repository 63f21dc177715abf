/** The emails about accounts and invitations, and the links in them. */

import type { Email } from './send-email'
import type { ServiceSettings } from '#context'

type Sender = Pick<ServiceSettings, 'appUrl' | 'brand'>

export const resetUrl = ({ appUrl }: Pick<Sender, 'appUrl'>, token: string) => `${appUrl}/reset-password/${token}`

export const invitationUrl = ({ appUrl }: Pick<Sender, 'appUrl'>, token: string) => `${appUrl}/invitations/${token}`

export const passwordResetEmail = (sender: Sender, to: string, token: string): Email => ({
  to,
  subject: `Set a new password for ${sender.brand}`,
  text: [
    `A new password was requested for ${to} at ${sender.appUrl}.`,
    `Open this address within an hour to choose one:\n\n${resetUrl(sender, token)}`,
    'If you did not request this, ignore this email. Your password does not change.',
  ].join('\n\n'),
})

export interface Invitation {
  readonly email_address: string
  readonly workspace_name: string
  readonly inviter: string
}

export const invitationEmail = (
  sender: Sender,
  { email_address, workspace_name, inviter }: Invitation,
  token: string,
): Email => ({
  to: email_address,
  subject: `${inviter} invites you to ${workspace_name}`,
  text: [
    `${inviter} invites you to the workspace ${workspace_name} at ${sender.appUrl}.`,
    `Open this address within seven days to join:\n\n${invitationUrl(sender, token)}`,
  ].join('\n\n'),
})

/** For a person whom an identity provider made a member. */
export const welcomeEmail = (sender: Sender, to: string, workspaceName: string): Email => ({
  to,
  subject: `You are a member of ${workspaceName}`,
  text: [
    `Your organisation gave you access to the workspace ${workspaceName} at ${sender.appUrl}.`,
    `Sign in with ${to}. If you have no password yet, choose "Forgot your password?" on the page to set one.`,
  ].join('\n\n'),
})

interface RefusedAccount {
  /** The slug of the workspace. */
  readonly workspace: string
  readonly address: string
  /** What its server said. */
  readonly answer: string | null
  readonly secret: 'password' | 'address' | 'sign-in'
}

/** For the member whose connected account refuses its password, or whose calendar is gone from its address. */
export const accountSignInEmail = (
  sender: Sender,
  to: string,
  { workspace, address, answer, secret }: RefusedAccount,
): Email => ({
  to,
  subject: `Sign in to ${address} again`,
  text: [
    `The server of ${address} no longer accepts the ${secret} that you gave to ${sender.brand} at ${sender.appUrl}.`,
    ...(answer === null ? [] : [`It said: ${answer}`]),
    `Nothing new is read until you ${secret === 'sign-in' ? 'sign in' : `enter the ${secret}`} again:\n\n${sender.appUrl}/${workspace}/settings/connected-accounts`,
  ].join('\n\n'),
})
