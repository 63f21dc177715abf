/** The records that the signed-in member follows. */

import type { FollowedRecord } from '#api/console/followed-records/schemas'
import { workspaceApi } from '../client'

const PATH = '/followed-records'

/** The last followed first. */
export const listFollowedRecords = async (signal?: AbortSignal): Promise<FollowedRecord[]> =>
  (await workspaceApi.get<{ data: FollowedRecord[] }>(PATH, { signal })).data

export async function isFollowed(record_id: string, signal?: AbortSignal): Promise<boolean> {
  const { data } = await workspaceApi.get<{ data: FollowedRecord[] }>(PATH, { query: { record_id }, signal })
  return data.length > 0
}

export const followRecord = (object: string, id: string): Promise<unknown> =>
  workspaceApi.put(`${PATH}/${object}/${id}`)

export const unfollowRecord = (object: string, id: string): Promise<unknown> =>
  workspaceApi.delete(`${PATH}/${object}/${id}`)
