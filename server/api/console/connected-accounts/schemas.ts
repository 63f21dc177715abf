/** See docs/connected-accounts.md. */

import { type Static, Type } from 'typebox'
import { answerOf, EmailAddress, listOf, nullable, Timestamp } from '#api/console/schemas'
import {
  AccountProgress,
  CalDavSettings,
  CalendarAddress,
  IcsSettings,
  ImapSettings,
  MAIL_PROVIDERS,
  PasswordSecret,
  SHARING_LEVELS,
} from '#transfer/connected-accounts/settings'

const Sharing = Type.Enum([...SHARING_LEVELS])
/** For how many days before now the account is read; null for everything. */
const HistoryDays = nullable(Type.Integer({ minimum: 1, maximum: 36_500 }))

const newAccount = { email_address: EmailAddress, sharing: Sharing, history_days: HistoryDays }

export const NewAccountBody = Type.Union([
  Type.Object({ kind: Type.Literal('imap'), settings: ImapSettings, secret: PasswordSecret, ...newAccount }),
  Type.Object({ kind: Type.Literal('caldav'), settings: CalDavSettings, secret: PasswordSecret, ...newAccount }),
  Type.Object({ kind: Type.Literal('ics'), settings: IcsSettings, secret: CalendarAddress, ...newAccount }),
])
export type NewAccountBody = Static<typeof NewAccountBody>

const Provider = Type.Enum([...MAIL_PROVIDERS])

const signedInEmail = { kind: Type.Literal('imap'), settings: ImapSettings, ...newAccount }
const signedInCalendars = { kind: Type.Literal('caldav'), settings: CalDavSettings, ...newAccount }
const SignedInAccount = Type.Union([Type.Object(signedInEmail), Type.Object(signedInCalendars)])
/** An account whose member signs in at a provider. */
export type SignedInAccount = Static<typeof SignedInAccount>

/** With `account_id`, the member signs in again to an account that exists. */
export const SignInBody = Type.Union([
  Type.Object({ ...signedInEmail, provider: Provider }),
  Type.Object({ ...signedInCalendars, provider: Provider }),
  Type.Object({ account_id: Type.String() }),
])
export type SignInBody = Static<typeof SignInBody>

/** Where the browser goes. */
export const SignInAnswer = answerOf(Type.Object({ url: Type.String() }))

/** The query with which the provider has sent the browser back. */
export const FinishSignInBody = Type.Object({ query: Type.String({ maxLength: 10_000 }) })

/** New settings and a new secret are tried before they are stored. */
export const AccountChangeBody = Type.Object({
  settings: Type.Optional(Type.Union([ImapSettings, CalDavSettings, IcsSettings])),
  secret: Type.Optional(Type.Union([PasswordSecret, CalendarAddress])),
  sharing: Type.Optional(Sharing),
  history_days: Type.Optional(HistoryDays),
})
export type AccountChangeBody = Static<typeof AccountChangeBody>

const account = {
  id: Type.String(),
  /** Of a calendar: the address by which the member takes part in its events. */
  email_address: Type.String(),
  /** The provider at which the member signs in; null for an account with a password. */
  provider: nullable(Provider),
  sharing: Sharing,
  history_days: nullable(Type.Integer()),
  state: Type.Enum(['active', 'failing', 'sign-in-required', 'removing']),
  /** Why the last attempt failed; `answer` has the words of the server. */
  error: nullable(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      answer: nullable(Type.String()),
      since: nullable(Timestamp),
      next_attempt_at: nullable(Timestamp),
    }),
  ),
  progress: AccountProgress,
  synced_at: nullable(Timestamp),
  created_at: Timestamp,
}

const AccountOutput = Type.Union([
  Type.Object({ ...account, kind: Type.Literal('imap'), settings: ImapSettings }),
  Type.Object({ ...account, kind: Type.Literal('caldav'), settings: CalDavSettings }),
  Type.Object({ ...account, kind: Type.Literal('ics'), settings: IcsSettings }),
])
export type AccountOutput = Static<typeof AccountOutput>

export const AccountsAnswer = listOf(AccountOutput)
export const AccountAnswer = answerOf(AccountOutput)

export const DiscoveryBody = Type.Object({
  email_address: EmailAddress,
  /** `imap` by default. */
  kind: Type.Optional(Type.Enum(['imap', 'caldav'])),
})
export type DiscoveryBody = Static<typeof DiscoveryBody>

const proposed = {
  source: Type.Enum(['provider', 'srv', 'well-known', 'autoconfig', 'guess']),
  hint: nullable(Type.String()),
  /** Where the member can sign in instead of giving a password. */
  provider: nullable(Type.Object({ id: Provider, name: Type.String() })),
}

const Proposal = Type.Union([
  Type.Object({ kind: Type.Literal('imap'), settings: ImapSettings, ...proposed }),
  Type.Object({ kind: Type.Literal('caldav'), settings: CalDavSettings, ...proposed }),
])
export type Proposal = Static<typeof Proposal>
export const ProposalsAnswer = listOf(Proposal)

/** Addresses and domains. */
export const ExclusionsBody = Type.Object({
  patterns: Type.Array(Type.String({ maxLength: 320 }), { maxItems: 1_000 }),
})
export type ExclusionsBody = Static<typeof ExclusionsBody>

const Exclusions = Type.Object({
  patterns: Type.Array(Type.String()),
  /** The domains of the workspace's members, which are excluded without being listed. */
  own_domains: Type.Array(Type.String()),
})
export type Exclusions = Static<typeof Exclusions>
export const ExclusionsAnswer = answerOf(Exclusions)
