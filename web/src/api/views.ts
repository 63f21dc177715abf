/** Saved views of an object or a list. */

import type { ViewInput, ViewItem, ViewOutput } from '../../../server/resources/views/schemas'
import type { OwnerPath } from './attributes'
import { api } from './client'

export type View = ViewOutput
export type { ViewInput, ViewItem }

const pathOf = ({ kind, slug }: OwnerPath): string => `/${kind}/${encodeURIComponent(slug)}/views`

/** In the order in which they were made. */
export const listViews = async (owner: OwnerPath, signal?: AbortSignal): Promise<ViewItem[]> =>
  (await api.get<{ data: ViewItem[] }>(pathOf(owner), { query: { limit: 1000 }, signal })).data

export const getView = async (owner: OwnerPath, id: string, signal?: AbortSignal): Promise<View> =>
  (await api.get<{ data: View }>(`${pathOf(owner)}/${encodeURIComponent(id)}`, { signal })).data

export const createView = async (owner: OwnerPath, input: ViewInput): Promise<View> =>
  (await api.post<{ data: View }>(pathOf(owner), { body: { data: input } })).data

export const updateView = async (owner: OwnerPath, id: string, change: Partial<ViewInput>): Promise<View> =>
  (await api.patch<{ data: View }>(`${pathOf(owner)}/${encodeURIComponent(id)}`, { body: { data: change } })).data

export const deleteView = (owner: OwnerPath, id: string): Promise<unknown> =>
  api.delete(`${pathOf(owner)}/${encodeURIComponent(id)}`)
