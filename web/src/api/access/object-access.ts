/** The access of members and teams to objects. */

import type { ObjectAccessBody, OwnObjectAccess } from '#api/console/object-access/schemas'
import { workspaceApi } from '../client'

export type ObjectGrants = ObjectAccessBody
export type { OwnObjectAccess }
export type ObjectAccess = ObjectGrants['members']

export const listObjectAccess = async (signal?: AbortSignal): Promise<OwnObjectAccess[]> =>
  (await workspaceApi.get<{ data: OwnObjectAccess[] }>('/object-access', { signal })).data

export const replaceObjectGrants = (objectId: string, grants: ObjectGrants): Promise<unknown> =>
  workspaceApi.put(`/objects/${objectId}/access`, { body: grants })
