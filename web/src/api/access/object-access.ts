/** The access of members and teams to objects. */

import type { ObjectAccessBody, OwnObjectAccessAnswer } from '#api/console/object-access/schemas'
import { workspaceApi } from '../client'

export type ObjectGrants = ObjectAccessBody
export type ObjectAccess = ObjectGrants['members']

export const readObjectAccess = (signal?: AbortSignal): Promise<OwnObjectAccessAnswer> =>
  workspaceApi.get('/object-access', { signal })

export const replaceObjectGrants = (objectId: string, grants: ObjectGrants): Promise<unknown> =>
  workspaceApi.put(`/objects/${objectId}/access`, { body: grants })
