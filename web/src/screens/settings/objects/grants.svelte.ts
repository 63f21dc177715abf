/** The grants of all objects and the teams of the workspace, for the screens in which admins set them. */

import { type ObjectGrants, readObjectAccess, replaceObjectGrants } from '../../../api/access/object-access'
import { listTeams, type Team } from '../../../api/access/teams'
import { RemoteData } from '../../../state/reads/remote-data.svelte'
import { toasts } from '../../../state/toasts.svelte'

export interface AllGrants {
  readonly teams: readonly Team[]
  /** By the id of the object. */
  readonly grants: ReadonlyMap<string, ObjectGrants>
}

export const loadGrants = (): RemoteData<AllGrants> =>
  new RemoteData(async (signal) => {
    const [teams, { data: objects }] = await Promise.all([listTeams(signal), readObjectAccess(signal)])
    const grants = objects.flatMap(({ object_id, grants }) => (grants ? [[object_id, grants] as const] : []))
    return { teams, grants: new Map(grants) }
  })

/** Stores the grants of an object, which the screen shows at once. */
export async function saveGrants(loaded: RemoteData<AllGrants>, objectId: string, next: ObjectGrants): Promise<void> {
  const failure = await loaded.updateOptimistically(
    (all) => ({ ...all, grants: new Map([...all.grants, [objectId, next]]) }),
    () => replaceObjectGrants(objectId, next),
  )
  if (failure) toasts.fail(failure)
  else toasts.show('Access updated')
}
