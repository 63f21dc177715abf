/** The bodies of requests that sign in or run the first start. */

import { type Static, Type } from 'typebox'
import { EmailAddress, Name, Password, SecondName, answerOf, nullable } from '#api/console/schemas'
import { PasskeyAnswer, SecondFactorProof } from '#api/console/second-factor/schemas'
import { SHOWN_WITH_RECORDS } from '#vocabulary/data-model'
import { LANGUAGES } from '#vocabulary/languages'
import { ALL_PERMISSIONS } from '#vocabulary/roles'

export const SignInBody = Type.Object({
  email_address: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
})
export type SignInBody = Static<typeof SignInBody>

export const PasskeySignInBody = Type.Object({ response: PasskeyAnswer })

const PendingToken = Type.String({ minLength: 1, maxLength: 100 })

export const PendingBody = Type.Object({ token: PendingToken })

export const SecondStepBody = Type.Object({ token: PendingToken, proof: SecondFactorProof })
export type SecondStepBody = Static<typeof SecondStepBody>

export const FirstStartBody = Type.Object({
  email_address: EmailAddress,
  password: Password,
  first_name: Name,
  last_name: SecondName,
  workspace_name: Name,
})
export type FirstStartBody = Static<typeof FirstStartBody>

/** A method of the second step of a sign-in. */
const SecondFactorMethod = Type.Enum(['passkey', 'totp', 'recovery-code'])
export type SecondFactorMethod = Static<typeof SecondFactorMethod>

/** A second step that is outstanding. */
const PendingSignIn = Type.Object({ token: Type.String(), methods: Type.Array(SecondFactorMethod) })
export type PendingSignIn = Static<typeof PendingSignIn>

/** The answer of a first step. Without `second_factor`, the account is signed in. */
export const FirstStep = Type.Object({ second_factor: Type.Optional(PendingSignIn) })
export type FirstStep = Static<typeof FirstStep>

export const FirstStepAnswer = answerOf(FirstStep)

export const SignedOutAnswer = answerOf(Type.Object({ provider_sign_out_url: nullable(Type.String()) }))
export type SignedOutAnswer = Static<typeof SignedOutAnswer>

/** A workspace of the signed-in account. */
export const SessionWorkspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  logo_url: nullable(Type.String()),
  /** The access level of the signed-in member. */
  access_level: Type.Enum(['admin', 'member', 'suspended']),
  workspace_member_id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  /** The step of sign-in that the workspace requires and the session lacks. */
  missing_step: nullable(Type.Enum(['provider', 'second_factor'])),
  /** What members who are no admins may do as well. */
  member_permissions: Type.Array(Type.Enum(ALL_PERMISSIONS)),
  /** The country whose national form phone numbers may have. */
  default_country: nullable(Type.String()),
  /** Whether the service stores the texts of emails that connected accounts have. */
  stores_email_texts: Type.Boolean(),
  /** The objects that the navigation has before they have records. */
  shown_objects: Type.Array(Type.Enum([...SHOWN_WITH_RECORDS])),
})
export type SessionWorkspace = Static<typeof SessionWorkspace>

const DeletedWorkspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  deleted_at: Type.String(),
  /** Until then, it can be restored. */
  removed_at: Type.String(),
})
type DeletedWorkspace = Static<typeof DeletedWorkspace>

/** The addresses of a database that may be a copy. An address is null for a local one. */
const Hold = Type.Object({
  held_at: Type.String(),
  served_url: nullable(Type.String()),
  found_url: nullable(Type.String()),
})
export type Hold = Static<typeof Hold>

const SessionState = Type.Object({
  /** Whether the service has no account yet. */
  is_first_start: Type.Boolean(),
  csrf_token: nullable(Type.String()),
  brand: Type.String(),
  /** For how many days deleted records can be restored; 0 for not at all. */
  trash_days: Type.Integer(),
  account: nullable(
    Type.Object({ id: Type.String(), email_address: Type.String(), language: nullable(Type.Enum([...LANGUAGES])) }),
  ),
  /** The only workspace of the session, because its provider signed the account in. */
  session_workspace_id: nullable(Type.String()),
  workspaces: Type.Array(SessionWorkspace),
  /** Those that the account can restore as an admin. */
  deleted_workspaces: Type.Array(DeletedWorkspace),
  /** What is read after this answer has all changes up to this cursor of the event stream. Null before the sign-in. */
  events_cursor: nullable(Type.String()),
  /** For admins: set while webhooks and emails are held, because the database may be a copy. */
  hold: nullable(Hold),
  version: nullable(
    Type.String({ description: 'Of the service, with the commit of an executable. Null before the sign-in.' }),
  ),
})
export type SessionState = Static<typeof SessionState>

export const SessionAnswer = answerOf(SessionState)
