/** The settings of connected accounts, by kind. Their forms stand apart from the code of the kinds, because the console has its types from them. */

import { type Static, Type } from 'typebox'

/** A host name or an address of a host. */
const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:_-]+$' })
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const User = Type.String({ minLength: 1, maxLength: 320, pattern: '^[^\\x00-\\x1f\\x7f]+$' })

/** `tls` encrypts from the first byte, `starttls` before the sign-in. `none` is for development, where private addresses are allowed. */
const Security = Type.Enum(['tls', 'starttls', 'none'])

/** The server that takes the emails of an account. The password is that of the account. */
export const SmtpSettings = Type.Object({
  host: Host,
  port: Port,
  security: Security,
  user: User,
  /** Whether the server puts sent emails into the folder of sent messages by itself. */
  saves_sent: Type.Optional(Type.Boolean()),
})
export type SmtpSettings = Static<typeof SmtpSettings>

export const ImapSettings = Type.Object({
  host: Host,
  port: Port,
  security: Security,
  user: User,
  /** Absent: no email is sent from the account. */
  smtp: Type.Optional(SmtpSettings),
  /** The paths of further folders. The inbox, the archive and the folder of sent messages are read without being named. */
  folders: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 100 })),
})
export type ImapSettings = Static<typeof ImapSettings>

const CalendarUrl = Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://[^\\s\\x00-\\x1f\\x7f@]+$' })

/** A CalDAV server (RFC 4791): its address, or that of one calendar. */
export const CalDavSettings = Type.Object({
  url: CalendarUrl,
  user: User,
  /** The addresses of the calendars that are read; absent for all. */
  calendars: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { maxItems: 200 })),
})
export type CalDavSettings = Static<typeof CalDavSettings>

/** A calendar at an address that is read again. The address itself is the secret. */
export const IcsSettings = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\x00-\\x1f\\x7f]+$' }),
})
export type IcsSettings = Static<typeof IcsSettings>

/** The address of a calendar, stored as a secret, because who knows it reads the calendar. */
export const CalendarAddress = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000, pattern: '^(?:https?|webcals?)://[^\\s\\x00-\\x1f\\x7f]+$' }),
})
export type CalendarAddress = Static<typeof CalendarAddress>

export const isCalendarAddress = (secret: unknown): secret is CalendarAddress =>
  typeof secret === 'object' && secret !== null && 'url' in secret && typeof secret.url === 'string'

/** What signs in. It is stored encrypted and never returned. */
export const PasswordSecret = Type.Object({ password: Type.String({ minLength: 1, maxLength: 10_000 }) })

/** Where members sign in to their email accounts and calendars, instead of giving a password. */
export const MAIL_PROVIDERS = ['google', 'microsoft', 'other'] as const
export type MailProviderId = (typeof MAIL_PROVIDERS)[number]

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  /** In milliseconds. */
  readonly expires_at: number
}

/** The tokens of a provider. */
export interface TokenSecret extends Tokens {
  readonly provider: MailProviderId
}
export type AccountSecret = Static<typeof PasswordSecret> | TokenSecret

/** What colleagues see of what came from an account: everything, only that an exchange took place, nothing. */
export const SHARING_LEVELS = ['everything', 'exchange', 'nothing'] as const
export type Sharing = (typeof SHARING_LEVELS)[number]

/** What an account has read, for people. */
export const AccountProgress = Type.Object({
  /** `recent`: the newest messages first. `history`: older ones. `complete`: only news are read. */
  phase: Type.Enum(['recent', 'history', 'complete']),
  /** How many items are stored. */
  stored: Type.Integer({ minimum: 0 }),
  /** How many items the server has in what is read; null before the first look. */
  total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** How many of these were read; null where `stored` counts the same. */
  read: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** The time of the oldest item that was read. */
  back_to: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  /** The texts of how many emails are still to be read; null where the workspace stores none. */
  texts_left: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  /** How many items could not be read. */
  problem_count: Type.Integer({ minimum: 0 }),
  /** The newest of them. */
  problems: Type.Array(Type.Object({ item: Type.String(), reason: Type.String() })),
  /** The folders or calendars of the server, with those that are read. */
  collections: Type.Array(Type.Object({ path: Type.String(), name: Type.String(), is_read: Type.Boolean() })),
})
export type AccountProgress = Static<typeof AccountProgress>

export const NO_PROGRESS: AccountProgress = {
  phase: 'recent',
  stored: 0,
  total: null,
  read: null,
  back_to: null,
  texts_left: null,
  problem_count: 0,
  problems: [],
  collections: [],
}
