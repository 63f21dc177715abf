/** The emails about accounts and invitations in the languages of their recipients, and the links in them. */

import type { Email } from './send-email'
import type { ServiceSettings } from '#context'
import type { Language } from '#vocabulary/languages'

type Sender = Pick<ServiceSettings, 'appUrl' | 'brand'>

export const resetUrl = ({ appUrl }: Pick<Sender, 'appUrl'>, token: string) => `${appUrl}/reset-password/${token}`

export const invitationUrl = ({ appUrl }: Pick<Sender, 'appUrl'>, token: string) => `${appUrl}/invitations/${token}`

/** The subject and the paragraphs of an email in a language. */
type Texts = readonly [subject: string, ...paragraphs: string[]]

const emailOf = (to: string, [subject, ...paragraphs]: Texts): Email => ({ to, subject, text: paragraphs.join('\n\n') })

export function passwordResetEmail(sender: Sender, to: string, token: string, language: Language): Email {
  const { appUrl, brand } = sender
  const url = resetUrl(sender, token)
  const texts: Record<Language, Texts> = {
    en: [
      `Set a new password for ${brand}`,
      `A new password was requested for ${to} at ${appUrl}.`,
      `Open this address within an hour to choose one:\n\n${url}`,
      'If you did not request this, ignore this email. Your password does not change.',
    ],
    de: [
      `Neues Passwort für ${brand} festlegen`,
      `Für ${to} wurde bei ${appUrl} ein neues Passwort angefordert.`,
      `Öffnen Sie innerhalb einer Stunde diese Adresse, um eines festzulegen:\n\n${url}`,
      'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
    ],
  }
  return emailOf(to, texts[language])
}

export interface Invitation {
  readonly email_address: string
  readonly workspace_name: string
  readonly inviter: string
}

export function invitationEmail(
  sender: Sender,
  { email_address, workspace_name, inviter }: Invitation,
  token: string,
  language: Language,
): Email {
  const url = invitationUrl(sender, token)
  const texts: Record<Language, Texts> = {
    en: [
      `${inviter} invites you to ${workspace_name}`,
      `${inviter} invites you to the workspace ${workspace_name} at ${sender.appUrl}.`,
      `Open this address within seven days to join:\n\n${url}`,
    ],
    de: [
      `${inviter} lädt Sie zu ${workspace_name} ein`,
      `${inviter} lädt Sie in den Workspace ${workspace_name} bei ${sender.appUrl} ein.`,
      `Öffnen Sie innerhalb von sieben Tagen diese Adresse, um beizutreten:\n\n${url}`,
    ],
  }
  return emailOf(email_address, texts[language])
}

/** For a person whom an identity provider made a member. */
export function welcomeEmail({ appUrl }: Sender, to: string, workspaceName: string, language: Language): Email {
  const texts: Record<Language, Texts> = {
    en: [
      `You are a member of ${workspaceName}`,
      `Your organisation gave you access to the workspace ${workspaceName} at ${appUrl}.`,
      `Sign in with ${to}. If you have no password yet, choose "Forgot your password?" on the page to set one.`,
    ],
    de: [
      `Sie sind Mitglied von ${workspaceName}`,
      `Ihre Organisation hat Ihnen Zugriff auf den Workspace ${workspaceName} bei ${appUrl} gegeben.`,
      `Melden Sie sich mit ${to} an. Wenn Sie noch kein Passwort haben, wählen Sie auf der Seite „Passwort vergessen?“, um eines festzulegen.`,
    ],
  }
  return emailOf(to, texts[language])
}

interface RefusedAccount {
  /** The slug of the workspace. */
  readonly workspace: string
  readonly address: string
  /** What its server said. */
  readonly answer: string | null
  readonly secret: 'password' | 'address' | 'sign-in'
}

/** For the member whose connected account refuses its password, or whose calendar is gone from its address. */
export function accountSignInEmail(
  { appUrl, brand }: Sender,
  to: string,
  { workspace, address, answer, secret }: RefusedAccount,
  language: Language,
): Email {
  const page = `${appUrl}/${workspace}/settings/connected-accounts`
  const german = { password: 'das Passwort', address: 'die Adresse', 'sign-in': 'die Anmeldung' }[secret]
  const texts: Record<Language, Texts> = {
    en: [
      `Sign in to ${address} again`,
      `The server of ${address} no longer accepts the ${secret} that you gave to ${brand} at ${appUrl}.`,
      ...(answer === null ? [] : [`It said: ${answer}`]),
      `Nothing new is read until you ${secret === 'sign-in' ? 'sign in' : `enter the ${secret}`} again:\n\n${page}`,
    ],
    de: [
      `Bei ${address} erneut anmelden`,
      `Der Server von ${address} akzeptiert ${german} bei ${brand} (${appUrl}) nicht mehr.`,
      ...(answer === null ? [] : [`Seine Antwort: ${answer}`]),
      `Es wird nichts Neues abgerufen, bis Sie ${secret === 'sign-in' ? 'sich erneut anmelden' : `${german} erneut eingeben`}:\n\n${page}`,
    ],
  }
  return emailOf(to, texts[language])
}
