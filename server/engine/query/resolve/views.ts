/** Reads the filters of saved views. See docs/reference/query.md (Views as filters). */

import type { RequestContext } from '#context'
import { namesHidden } from '#engine/data-model/access/hidden'
import type { EntityType } from '#engine/data-model/model'
import { viewOwner } from '#engine/data-model/access/view-owner'
import { viewNotFound } from '#base/errors/queries'
import { findHiddenTexts } from '#engine/storage/hidden-texts'

/** The filter of a view of the entity type, archived or not. Throws 404 for any other view. */
export async function getViewFilter(context: RequestContext, entityType: EntityType, viewId: string): Promise<unknown> {
  const { db, model } = context
  const [view] = await db.sql<{ filter: string; member_id: string | null }[]>`
    select filter, member_id from relata.views
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${viewId.toLowerCase()}
      and (member_id is null or member_id = ${viewOwner(context)})`
  const filter: unknown = view && JSON.parse(view.filter)
  const text = JSON.stringify(filter ?? null)
  const isHidden =
    view?.member_id === null ? (await findHiddenTexts(context, [text])).has(text) : namesHidden(model, text)
  if (!view || isHidden) throw viewNotFound(viewId)
  return filter
}
