/** SQL queries that members saved for their workspace, and those that the member ran last. */

import type {
  RanQueryBody,
  RanQueryOutput,
  SavedQueryBody,
  SavedQueryChangeBody,
  SavedQueryItem,
  SavedQueryOutput,
} from '#api/console/sql-queries/schemas'
import { workspaceApi } from '../client'

export type RanQuery = RanQueryOutput
export type SavedQuery = SavedQueryOutput
export type { SavedQueryItem }

type One = { data: SavedQuery }

const pathOf = (id: string): string => `/sql-queries/${encodeURIComponent(id)}`

/** In the order of their names. */
export const listSavedQueries = async (signal?: AbortSignal): Promise<SavedQueryItem[]> =>
  (await workspaceApi.get<{ data: SavedQueryItem[] }>('/sql-queries', { signal })).data

export const getSavedQuery = async (id: string, signal?: AbortSignal): Promise<SavedQuery> =>
  (await workspaceApi.get<One>(pathOf(id), { signal })).data

export const createSavedQuery = async (body: SavedQueryBody): Promise<SavedQuery> =>
  (await workspaceApi.post<One>('/sql-queries', { body })).data

export const updateSavedQuery = async (id: string, body: SavedQueryChangeBody): Promise<SavedQuery> =>
  (await workspaceApi.put<One>(pathOf(id), { body })).data

export const deleteSavedQuery = (id: string): Promise<unknown> => workspaceApi.delete(pathOf(id))

/** The latest first. */
export const readHistory = async (signal?: AbortSignal): Promise<RanQuery[]> =>
  (await workspaceApi.get<{ data: RanQuery[] }>('/sql-history', { signal })).data

/** The request outlives the page, which may be left right after the query ran. */
export const addToHistory = (body: RanQueryBody): Promise<unknown> =>
  workspaceApi.post('/sql-history', { body, keepalive: true })

export const clearHistory = (): Promise<unknown> => workspaceApi.delete('/sql-history')
