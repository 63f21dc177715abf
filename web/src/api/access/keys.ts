/** API keys of the workspace. */

import type { KeyBody, KeyOutput, NewKey } from '#api/console/keys/schemas'
import { workspaceApi } from '../client'

export type Key = KeyOutput
export type KeyInput = KeyBody

export const listKeys = async (signal?: AbortSignal): Promise<Key[]> =>
  (await workspaceApi.get<{ data: Key[] }>('/keys', { signal })).data

/** Returns the token, too, which is never returned again. */
export const createKey = async (input: KeyInput): Promise<NewKey> =>
  (await workspaceApi.post<{ data: NewKey }>('/keys', { body: input })).data

export const updateKey = async (id: string, change: Partial<KeyInput>): Promise<Key> =>
  (await workspaceApi.patch<{ data: Key }>(`/keys/${id}`, { body: change })).data

export const revokeKey = (id: string): Promise<unknown> => workspaceApi.delete(`/keys/${id}`)
