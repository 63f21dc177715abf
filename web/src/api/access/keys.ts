/** API keys of the workspace. */

import type { Scope } from '#vocabulary/scopes'
import { workspaceApi } from '../client'

export interface Key {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The last characters of the token. */
  readonly hint: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly created_by: { readonly workspace_member_id: string; readonly first_name: string; readonly last_name: string }
}

export interface KeyInput {
  readonly name: string
  readonly scopes: readonly Scope[]
}

export const listKeys = async (signal?: AbortSignal): Promise<Key[]> =>
  (await workspaceApi.get<{ data: Key[] }>('/keys', { signal })).data

/** Returns the token, too, which is never returned again. */
export const createKey = async (input: KeyInput): Promise<Key & { token: string }> =>
  (await workspaceApi.post<{ data: Key & { token: string } }>('/keys', { body: input })).data

export const updateKey = async (id: string, change: Partial<KeyInput>): Promise<Key> =>
  (await workspaceApi.patch<{ data: Key }>(`/keys/${id}`, { body: change })).data

export const revokeKey = (id: string): Promise<unknown> => workspaceApi.delete(`/keys/${id}`)
