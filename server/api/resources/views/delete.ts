import type { RequestContext } from '#context'
import { viewNotFound } from '#base/errors/queries'
import { findOwnRow, getViewRow } from './get'
import type { ViewFinders } from './save'
import { deleteViewRow } from './store'

/** Deletes a view, not the entities that it showed. Throws 404 and 403 for the entity type, 404 for the view. */
export async function deleteView(context: RequestContext, find: ViewFinders, viewId: string): Promise<void> {
  const own = await findOwnRow(context, find.read, viewId)
  const entityType = (own ? find.read : find.change)(context.model)
  const { id } = own ?? (await getViewRow(context, entityType, viewId))
  if (!(await deleteViewRow(context, entityType, id))) throw viewNotFound(viewId)
}
