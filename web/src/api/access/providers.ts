/** Sign-in at an OpenID Connect provider, and the sign-in settings of the workspace. */

import { consoleApi, workspaceApi } from '../client'
import type { FirstStep } from './session'

/** A provider that the sign-in page offers. */
export interface OfferedProvider {
  readonly id: string
  readonly name: string
}

export const listProviders = async (workspace: string | undefined): Promise<OfferedProvider[]> =>
  (await consoleApi.get<{ data: OfferedProvider[] }>('/sign-in/providers', { query: { workspace } })).data

/** Returns the URL of the provider's sign-in page. */
export const beginProviderSignIn = async (id: string): Promise<string> =>
  (await consoleApi.post<{ data: { url: string } }>(`/sign-in/providers/${id}`)).data.url

/** `query` is the query of the URL to which the provider returned. */
export const finishProviderSignIn = async (id: string, query: string): Promise<FirstStep> =>
  (
    await consoleApi.post<{ data: FirstStep }>(`/sign-in/providers/${encodeURIComponent(id)}/response`, {
      body: { query },
    })
  ).data

export interface Provider {
  readonly name: string
  readonly issuer: string
  readonly client_id: string
}

export interface SignInSettings {
  readonly provider: Provider | null
  readonly installation_provider: { readonly name: string } | null
  /** The address that the provider must allow. */
  readonly redirect_uri: string
  /** The address to which the provider returns after a sign-out. */
  readonly sign_out_redirect_uri: string
  readonly requires_provider: boolean
  readonly break_glass_member_id: string | null
  readonly requires_second_factor: boolean
}

type SignInRules = Pick<SignInSettings, 'requires_provider' | 'break_glass_member_id' | 'requires_second_factor'>

type Answer = { data: SignInSettings }

export const readSignInSettings = async (signal?: AbortSignal): Promise<SignInSettings> =>
  (await workspaceApi.get<Answer>('/sign-in', { signal })).data

export const changeSignInRules = async (change: Partial<SignInRules>): Promise<SignInSettings> =>
  (await workspaceApi.patch<Answer>('/sign-in', { body: change })).data

/** Without a secret, the stored one remains. */
export const saveProvider = async (provider: Provider & { client_secret?: string }): Promise<SignInSettings> =>
  (await workspaceApi.put<Answer>('/sign-in/provider', { body: provider })).data

export const removeProvider = async (): Promise<SignInSettings> =>
  (await workspaceApi.delete<Answer>('/sign-in/provider')).data
