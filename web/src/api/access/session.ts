/** The session of the browser: sign-in, sign-out and passwords. */

import type { Permission } from '../../../../server/roles'
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
  /** What members who are no admins may do as well. */
  readonly member_permissions: readonly Permission[]
}

export interface SessionState {
  /** Whether the service has no account yet. */
  readonly is_first_start: boolean
  readonly csrf_token: string | null
  readonly brand: string
  readonly account: { readonly id: string; readonly email_address: string } | null
  readonly workspaces: readonly Workspace[]
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

export const signIn = (email_address: string, password: string): Promise<unknown> =>
  consoleApi.post('/sign-in', { body: { email_address, password } })

export const completeFirstStart = (input: FirstStart): Promise<unknown> =>
  consoleApi.post('/first-start', { body: input })

export const signOut = (): Promise<unknown> => consoleApi.post('/sign-out')

export const requestPasswordReset = (email_address: string): Promise<unknown> =>
  consoleApi.post('/password-resets', { body: { email_address } })

export const resetPassword = (token: string, password: string): Promise<unknown> =>
  consoleApi.post(`/password-resets/${encodeURIComponent(token)}`, { body: { password } })
