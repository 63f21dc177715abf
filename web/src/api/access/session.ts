/** The session of the browser: sign-in, sign-out and passwords. */

import type { Permission } from '#vocabulary/roles'
import { consoleApi } from '../client'

export type AccessLevel = 'admin' | 'member' | 'suspended'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly logo_url: string | null
  /** The access level of the signed-in member. */
  readonly access_level: AccessLevel
  readonly workspace_member_id: string
  readonly first_name: string
  readonly last_name: string
  /** The step of sign-in that the workspace requires and the session lacks. */
  readonly missing_step: 'provider' | 'second_factor' | null
  /** What members who are no admins may do as well. */
  readonly member_permissions: readonly Permission[]
  /** The country whose national form phone numbers may have. */
  readonly default_country: string | null
}

export interface SessionState {
  /** Whether the service has no account yet. */
  readonly is_first_start: boolean
  readonly csrf_token: string | null
  readonly brand: string
  /** For how many days deleted records can be restored; 0 for not at all. */
  readonly trash_days: number
  readonly account: { readonly id: string; readonly email_address: string } | null
  /** The only workspace of the session, because its provider signed the account in. */
  readonly session_workspace_id: string | null
  readonly workspaces: readonly Workspace[]
  /** For admins: set while webhooks and emails are held, because the database may be a copy. */
  readonly hold: Hold | null
}

/** An address is null for a local one. */
export interface Hold {
  readonly held_at: string
  readonly served_url: string | null
  readonly found_url: string | null
}

export interface FirstStart {
  readonly email_address: string
  readonly password: string
  readonly first_name: string
  readonly last_name: string
  readonly workspace_name: string
}

export const readSession = async (): Promise<SessionState> =>
  (await consoleApi.get<{ data: SessionState }>('/session')).data

/** A method of the second step of a sign-in. */
export type SecondFactorMethod = 'passkey' | 'totp' | 'recovery-code'

/** A second step that is outstanding. */
export interface PendingSignIn {
  readonly token: string
  readonly methods: readonly SecondFactorMethod[]
}

/** The answer of a first step. Without `second_factor`, the account is signed in. */
export interface FirstStep {
  readonly second_factor?: PendingSignIn
}

export const signIn = async (email_address: string, password: string): Promise<FirstStep> =>
  (await consoleApi.post<{ data: FirstStep }>('/sign-in', { body: { email_address, password } })).data

export const completeFirstStart = (input: FirstStart): Promise<unknown> =>
  consoleApi.post('/first-start', { body: input })

/** Where the browser signs out at the provider that began the session. */
interface SignedOut {
  readonly provider_sign_out_url: string | null
}

const postSignOut = async (path: string): Promise<string | null> =>
  (await consoleApi.post<{ data: SignedOut }>(path)).data.provider_sign_out_url

/** Ends the session. Returns the URL of the sign-out at its provider. */
export const signOut = (): Promise<string | null> => postSignOut('/sign-out')

/** Ends all sessions of the account. Returns the URL of the sign-out at the provider of this one. */
export const signOutEverywhere = (): Promise<string | null> => postSignOut('/sign-out-everywhere')

export const requestPasswordReset = (email_address: string): Promise<unknown> =>
  consoleApi.post('/password-resets', { body: { email_address } })

export const resetPassword = (token: string, password: string): Promise<unknown> =>
  consoleApi.post(`/password-resets/${encodeURIComponent(token)}`, { body: { password } })
