/** The recent requests of API keys and apps. */

import type { RecentRequest } from '#api/console/requests/schemas'
import { workspaceApi } from '../client'

export type { RecentRequest }

export const listRecentRequests = async (signal?: AbortSignal): Promise<readonly RecentRequest[]> =>
  (await workspaceApi.get<{ data: RecentRequest[] }>('/requests', { signal })).data
