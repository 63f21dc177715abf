/**
 * The request context of work without a request, such as an import. It always has the newest data model that was loaded, because the
 * data model can change during the work.
 */

import type { Database } from '#db/connect'
import type { RequestContext } from '#context'
import { loadDataModel } from '#engine/data-model/load'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel } from '#engine/data-model/model'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Clock } from '#base/timing/clock'

export interface BackgroundContext {
  /** The request context with the newest data model that was loaded. */
  context(): RequestContext
}

/** `actorOf` gives the number of the actor who writes. A member reads and writes with the member's access to objects. */
export async function openBackgroundContext(
  db: Database,
  workspaceId: string,
  now: Clock,
  actorOf: (model: DataModel) => number,
): Promise<BackgroundContext> {
  const load = () => loadDataModel(db, workspaceId)
  const loaded = await load()
  const actor = actorOf(loaded)
  const memberId = memberOf(loaded, actor)
  let model = modelOfMember(loaded, memberId)
  const reloadModel = async () => (model = modelOfMember(await load(), memberId))
  const scopes = new Set(READ_WRITE_SCOPES)
  const rest = { reloadModel, actor, memberId, scopes, db, now }
  return { context: () => ({ ...rest, model }) }
}

function memberOf({ actors }: DataModel, actor: number): string | undefined {
  const { type, id } = actors.get(actor) ?? { type: 'system', id: null }
  return type === 'workspace-member' && id !== null ? id : undefined
}
