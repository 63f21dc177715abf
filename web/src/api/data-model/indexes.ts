/** The indexes that the service builds for the queries of the workspace. */

import type { IndexOutput, SteerAction } from '#api/console/indexes/schemas'
import { workspaceApi } from '../client'

export type WorkspaceIndex = IndexOutput
export type { SteerAction }

/** In the order of their tables. */
export const listIndexes = async (signal?: AbortSignal): Promise<WorkspaceIndex[]> =>
  (await workspaceApi.get<{ data: WorkspaceIndex[] }>('/indexes', { signal })).data

export const steerIndex = (name: string, action: SteerAction): Promise<unknown> =>
  workspaceApi.post(`/indexes/${encodeURIComponent(name)}`, { body: { action } })
