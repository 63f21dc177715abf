/** Saved views, as far as queries need them. Spec: query 7. */

import type { Call } from '../../call'
import type { Owner } from '../../data-model/model'
import { viewNotFound } from '../../errors/errors'

/** The filter of a saved view of `owner`, archived or not. Throws 404 for a view of anything else. */
export async function getViewFilter({ db, model }: Call, owner: Owner, viewId: string): Promise<unknown> {
  const [view] = await db.sql<{ filter: string }[]>`
    select filter from relata.views
    where workspace_id = ${model.workspace.id} and owner_id = ${owner.id} and id = ${viewId.toLowerCase()}`
  if (!view) throw viewNotFound(viewId)
  return JSON.parse(view.filter)
}
