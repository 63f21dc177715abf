/** Saved views, as far as queries need them. See docs/reference/query.md (Views as filters). */

import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import { viewNotFound } from '../../errors/queries'

/** The filter of a saved view of `entity type`, archived or not. Throws 404 for a view of anything else. */
export async function getViewFilter(
  { db, model }: RequestContext,
  entityType: EntityType,
  viewId: string,
): Promise<unknown> {
  const [view] = await db.sql<{ filter: string }[]>`
    select filter from relata.views
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${viewId.toLowerCase()}`
  if (!view) throw viewNotFound(viewId)
  return JSON.parse(view.filter)
}
