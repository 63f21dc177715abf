/** The access of members and teams to objects. */

import type { ObjectAccessBody } from '#api/console/object-access/schemas'
import { workspaceApi } from '../client'

export type ObjectGrants = ObjectAccessBody
export type ObjectAccess = ObjectGrants['members']

/** The access of the signed-in member to an object that is not hidden. */
export interface OwnObjectAccess {
  readonly object_id: string
  readonly access: ObjectAccess
  /** What all members and teams have. Only admins get it. */
  readonly grants?: ObjectGrants
}

export const listObjectAccess = async (signal?: AbortSignal): Promise<OwnObjectAccess[]> =>
  (await workspaceApi.get<{ data: OwnObjectAccess[] }>('/object-access', { signal })).data

export const replaceObjectGrants = (objectId: string, grants: ObjectGrants): Promise<unknown> =>
  workspaceApi.put(`/objects/${objectId}/access`, { body: grants })
