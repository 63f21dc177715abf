/** The emails people get, and the addresses in them. */

import type { Email } from './send-email'
import type { ServiceSettings } from '../context'

type Place = Pick<ServiceSettings, 'appUrl' | 'brand'>

export const resetUrl = ({ appUrl }: Pick<Place, 'appUrl'>, token: string) => `${appUrl}/reset-password/${token}`

export const invitationUrl = ({ appUrl }: Pick<Place, 'appUrl'>, token: string) => `${appUrl}/invitations/${token}`

export const passwordResetEmail = (place: Place, to: string, token: string): Email => ({
  to,
  subject: `Set a new password for ${place.brand}`,
  text: [
    `Somebody asked to set a new password for ${to} at ${place.appUrl}.`,
    `Open this address within an hour to choose one:\n\n${resetUrl(place, token)}`,
    'If it was not you, there is nothing to do: your password stays as it is.',
  ].join('\n\n'),
})

export interface Invited {
  readonly email_address: string
  readonly workspace_name: string
  readonly inviter: string
}

export const invitationEmail = (
  place: Place,
  { email_address, workspace_name, inviter }: Invited,
  token: string,
): Email => ({
  to: email_address,
  subject: `${inviter} invites you to ${workspace_name}`,
  text: [
    `${inviter} invites you to the workspace ${workspace_name} at ${place.appUrl}.`,
    `Open this address within seven days to join:\n\n${invitationUrl(place, token)}`,
  ].join('\n\n'),
})
