/** Sign-in at an OpenID Connect provider, and the sign-in settings of the workspace. */

import type {
  OfferedProviderOutput,
  ProviderBody,
  ProviderUrlAnswer,
  RulesBody,
  SignInSettings,
  SignInSettingsAnswer,
} from '#api/console/providers/schemas'
import { consoleApi, workspaceApi } from '../client'
import type { FirstStep } from './session'

export type { OfferedProviderOutput, SignInSettings }
export type Provider = NonNullable<SignInSettings['provider']>

export const listProviders = async (workspace: string | undefined): Promise<OfferedProviderOutput[]> =>
  (await consoleApi.get<{ data: OfferedProviderOutput[] }>('/sign-in/providers', { query: { workspace } })).data

/** Returns the URL of the provider's sign-in page. */
export const beginProviderSignIn = async (id: string): Promise<string> =>
  (await consoleApi.post<ProviderUrlAnswer>(`/sign-in/providers/${id}`)).data.url

/** `query` is the query of the URL to which the provider returned. */
export const finishProviderSignIn = async (id: string, query: string): Promise<FirstStep> =>
  (
    await consoleApi.post<{ data: FirstStep }>(`/sign-in/providers/${encodeURIComponent(id)}/response`, {
      body: { query },
    })
  ).data

export const readSignInSettings = async (signal?: AbortSignal): Promise<SignInSettings> =>
  (await workspaceApi.get<SignInSettingsAnswer>('/sign-in', { signal })).data

export const changeSignInRules = async (change: RulesBody): Promise<SignInSettings> =>
  (await workspaceApi.patch<SignInSettingsAnswer>('/sign-in', { body: change })).data

/** Without a secret, the stored one remains. */
export const saveProvider = async (provider: ProviderBody): Promise<SignInSettings> =>
  (await workspaceApi.put<SignInSettingsAnswer>('/sign-in/provider', { body: provider })).data

export const removeProvider = async (): Promise<SignInSettings> =>
  (await workspaceApi.delete<SignInSettingsAnswer>('/sign-in/provider')).data
