/** Lists and reads views. See docs/reference/views.md. */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { viewOwner } from '#engine/data-model/access/view-owner'
import type { EntityType } from '#engine/data-model/model'
import { invalidRequest } from '#base/errors/http'
import { viewNotFound } from '#base/errors/queries'
import { cursorsFor } from '#engine/query/run/cursor'
import { renderView, renderViewItem } from './render'
import type { ViewItem, ViewOutput, ViewsQuery } from './schemas'
import { findViewRow, listViewRows, type ViewRow } from './store'

export interface ViewsPage {
  readonly data: ViewItem[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** Returns a page of views in the order of their ids. One more row than the limit shows whether another page follows. */
export async function listViews(context: RequestContext, find: FindEntityType, query: ViewsQuery): Promise<ViewsPage> {
  const entityType = find(context.model)
  const { show_archived: showArchived = false, limit = 500, cursor } = query
  const cursors = await cursorsFor(context, { id: `views of ${entityType.id}` }, query)
  const [after = null] = cursor === undefined ? [] : cursors.decode(cursor)
  const rows = await listViewRows(context, entityType, { showArchived, limit: limit + 1, after })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next_cursor = last && rows.length > limit ? cursors.encode([last.id]) : null
  return { data: page.map((row) => renderViewItem(context.model, entityType, row)), pagination: { next_cursor } }
}

/** Returns a view, also an archived one. */
export async function readView(context: RequestContext, find: FindEntityType, viewId: string): Promise<ViewOutput> {
  const entityType = find(context.model)
  return renderView(context.model, entityType, await getViewRow(context, entityType, viewId))
}

/** Returns the row of a view of this entity type. Throws 404, and 400 when the id is not a UUID. */
export async function getViewRow(context: RequestContext, entityType: EntityType, viewId: string): Promise<ViewRow> {
  if (!isUuid(viewId)) throw invalidRequest(`View ID "${viewId}" is not a UUID.`)
  const view = await findViewRow(context, entityType, viewId.toLowerCase())
  if (!view) throw viewNotFound(viewId)
  return view
}

/** Returns a personal view of the caller; undefined for any other view. Throws 404 for the entity type. */
export async function findOwnRow(
  context: RequestContext,
  find: FindEntityType,
  viewId: string,
): Promise<ViewRow | undefined> {
  if (viewOwner(context) === null || !isUuid(viewId)) return undefined
  const view = await findViewRow(context, find(context.model), viewId.toLowerCase())
  return view?.member_id === null ? undefined : view
}
