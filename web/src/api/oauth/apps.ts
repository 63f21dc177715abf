/** Apps of the workspace, their secrets, and the grants of apps in the workspace. */

import type {
  AppOutput,
  AppSecretOutput,
  CreateAppBody,
  CreatedApp,
  GrantOutput,
  NewSecretAnswer,
  UpdateAppBody,
} from '#api/console/apps/schemas'
import { workspaceApi } from '../client'

export type App = AppOutput
export type Grant = GrantOutput
export type { AppSecretOutput, CreatedApp }
export type AppInput = Required<UpdateAppBody>

export const listApps = async (signal?: AbortSignal): Promise<App[]> =>
  (await workspaceApi.get<{ data: App[] }>('/apps', { signal })).data

export const getApp = async (id: string): Promise<App> => (await workspaceApi.get<{ data: App }>(`/apps/${id}`)).data

/** Returns the first secret, too, which is never returned again. */
export const createApp = async (input: CreateAppBody): Promise<CreatedApp> =>
  (await workspaceApi.post<{ data: CreatedApp }>('/apps', { body: input })).data

export const updateApp = async (id: string, change: UpdateAppBody): Promise<App> =>
  (await workspaceApi.patch<{ data: App }>(`/apps/${id}`, { body: change })).data

export const deleteApp = (id: string): Promise<unknown> => workspaceApi.delete(`/apps/${id}`)

/** Other secrets stay valid until they are deleted. */
export const addSecret = async (id: string): Promise<NewSecretAnswer['data']> =>
  (await workspaceApi.post<NewSecretAnswer>(`/apps/${id}/secrets`)).data

export const deleteSecret = (appId: string, id: string): Promise<unknown> =>
  workspaceApi.delete(`/apps/${appId}/secrets/${id}`)

export const listGrants = async (signal?: AbortSignal): Promise<Grant[]> =>
  (await workspaceApi.get<{ data: Grant[] }>('/grants', { signal })).data

export const revokeGrant = (id: string): Promise<unknown> => workspaceApi.delete(`/grants/${id}`)
