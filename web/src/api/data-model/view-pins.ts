/** The views that the signed-in member pinned to the navigation. */

import type { ViewPin } from '#api/console/view-pins/schemas'
import { workspaceApi } from '../client'

export type { ViewPin }

export const listViewPins = async (signal?: AbortSignal): Promise<ViewPin[]> =>
  (await workspaceApi.get<{ data: ViewPin[] }>('/view-pins', { signal })).data

export const pinView = (id: string): Promise<unknown> => workspaceApi.put(`/view-pins/${id}`)

export const unpinView = (id: string): Promise<unknown> => workspaceApi.delete(`/view-pins/${id}`)
