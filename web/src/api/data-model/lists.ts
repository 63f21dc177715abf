/** Lists of the workspace. */

import type { ListChange, ListInput, ListOutput } from '#api/resources/lists/schemas'
import { api } from '../client'

type One = { data: ListOutput }

export const listLists = async (signal?: AbortSignal): Promise<ListOutput[]> =>
  (await api.get<{ data: ListOutput[] }>('/lists', { signal })).data

export const getList = async (slug: string): Promise<ListOutput> =>
  (await api.get<One>(`/lists/${encodeURIComponent(slug)}`)).data

export const createList = async (input: ListInput): Promise<ListOutput> =>
  (await api.post<One>('/lists', { body: { data: input } })).data

export const updateList = async (slug: string, change: ListChange): Promise<ListOutput> =>
  (await api.patch<One>(`/lists/${encodeURIComponent(slug)}`, { body: { data: change } })).data

export const deleteList = (slug: string): Promise<unknown> => api.delete(`/lists/${encodeURIComponent(slug)}`)
