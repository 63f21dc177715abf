/** Saved views of an object or a list. */

import type { ViewInput, ViewItem, ViewOutput } from '#api/resources/views/schemas'
import type { EntityTypePath } from './attributes'
import { api } from '../client'

export type View = ViewOutput
export type { ViewInput, ViewItem }

const pathOf = ({ kind, slug }: EntityTypePath): string => `/${kind}/${encodeURIComponent(slug)}/views`

/** In the order of their creation. */
export const listViews = async (entityType: EntityTypePath, signal?: AbortSignal): Promise<ViewItem[]> =>
  (await api.get<{ data: ViewItem[] }>(pathOf(entityType), { query: { limit: 1000 }, signal })).data

export const getView = async (entityType: EntityTypePath, id: string, signal?: AbortSignal): Promise<View> =>
  (await api.get<{ data: View }>(`${pathOf(entityType)}/${encodeURIComponent(id)}`, { signal })).data

export const createView = async (entityType: EntityTypePath, input: ViewInput): Promise<View> =>
  (await api.post<{ data: View }>(pathOf(entityType), { body: { data: input } })).data

export const updateView = async (entityType: EntityTypePath, id: string, change: Partial<ViewInput>): Promise<View> =>
  (await api.patch<{ data: View }>(`${pathOf(entityType)}/${encodeURIComponent(id)}`, { body: { data: change } })).data

export const deleteView = (entityType: EntityTypePath, id: string): Promise<unknown> =>
  api.delete(`${pathOf(entityType)}/${encodeURIComponent(id)}`)
