/** The session of the browser: sign-in, sign-out and passwords. */

import type {
  FirstStartBody,
  FirstStep,
  Hold,
  PendingSignIn,
  SecondFactorMethod,
  SessionState,
  SessionWorkspace,
  SignedOutAnswer,
} from '#api/console/session/schemas'
import { consoleApi } from '../client'

export type { FirstStep, Hold, PendingSignIn, SecondFactorMethod, SessionState }
export type Workspace = SessionWorkspace
export type AccessLevel = Workspace['access_level']

export const readSession = async (): Promise<SessionState> =>
  (await consoleApi.get<{ data: SessionState }>('/session')).data

export const signIn = async (email_address: string, password: string): Promise<FirstStep> =>
  (await consoleApi.post<{ data: FirstStep }>('/sign-in', { body: { email_address, password } })).data

export const completeFirstStart = (input: FirstStartBody): Promise<unknown> =>
  consoleApi.post('/first-start', { body: input })

const postSignOut = async (path: string): Promise<string | null> =>
  (await consoleApi.post<SignedOutAnswer>(path)).data.provider_sign_out_url

/** Ends the session. Returns the URL of the sign-out at its provider. */
export const signOut = (): Promise<string | null> => postSignOut('/sign-out')

/** Ends all sessions of the account. Returns the URL of the sign-out at the provider of this one. */
export const signOutEverywhere = (): Promise<string | null> => postSignOut('/sign-out-everywhere')

export const requestPasswordReset = (email_address: string): Promise<unknown> =>
  consoleApi.post('/password-resets', { body: { email_address } })

export const resetPassword = (token: string, password: string): Promise<unknown> =>
  consoleApi.post(`/password-resets/${encodeURIComponent(token)}`, { body: { password } })
