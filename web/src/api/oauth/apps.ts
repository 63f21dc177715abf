/** Apps of the workspace, their secrets, and the grants of apps in the workspace. */

import type { Scope } from '#vocabulary/scopes'
import { workspaceApi } from '../client'

export interface AppSecret {
  readonly id: string
  readonly hint: string
  readonly created_at: string
  readonly last_used_at: string | null
}

export interface AppInput {
  readonly name: string
  readonly description: string | null
  readonly developer_name: string | null
  readonly website_url: string | null
  readonly logo_url: string | null
  readonly is_published: boolean
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly Scope[]
  readonly allows_plain_pkce: boolean
  readonly uses_refresh_tokens: boolean
}

export interface App extends AppInput {
  readonly id: string
  readonly client_id: string
  /** Whether the app is a public client, which has no secret. Set at its creation only. */
  readonly is_public: boolean
  readonly secrets: readonly AppSecret[]
  readonly created_at: string
}

export interface Grant {
  readonly id: string
  readonly app: {
    readonly id: string
    readonly name: string
    readonly developer_name: string | null
    readonly logo_url: string | null
  }
  readonly workspace_member_id: string
  readonly scopes: readonly Scope[]
  /** 'mcp' for an assistant, whose tokens are for `/mcp` only. */
  readonly resource: 'mcp' | null
  readonly created_at: string
  readonly last_used_at: string | null
}

/** A public app gets no secret. */
export type CreatedApp = App & { readonly client_secret: string | null }

export const listApps = async (signal?: AbortSignal): Promise<App[]> =>
  (await workspaceApi.get<{ data: App[] }>('/apps', { signal })).data

export const getApp = async (id: string): Promise<App> => (await workspaceApi.get<{ data: App }>(`/apps/${id}`)).data

/** Returns the first secret, too, which is never returned again. */
export const createApp = async (input: AppInput & { is_public: boolean }): Promise<CreatedApp> =>
  (await workspaceApi.post<{ data: CreatedApp }>('/apps', { body: input })).data

export const updateApp = async (id: string, change: Partial<AppInput>): Promise<App> =>
  (await workspaceApi.patch<{ data: App }>(`/apps/${id}`, { body: change })).data

export const deleteApp = (id: string): Promise<unknown> => workspaceApi.delete(`/apps/${id}`)

/** Other secrets stay valid until they are deleted. */
export const addSecret = async (id: string): Promise<{ id: string; client_secret: string }> =>
  (await workspaceApi.post<{ data: { id: string; client_secret: string } }>(`/apps/${id}/secrets`)).data

export const deleteSecret = (appId: string, id: string): Promise<unknown> =>
  workspaceApi.delete(`/apps/${appId}/secrets/${id}`)

export const listGrants = async (signal?: AbortSignal): Promise<Grant[]> =>
  (await workspaceApi.get<{ data: Grant[] }>('/grants', { signal })).data

export const revokeGrant = (id: string): Promise<unknown> => workspaceApi.delete(`/grants/${id}`)
