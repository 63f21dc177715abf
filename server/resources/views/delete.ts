import type { FindEntityType } from '../../access/list-access/entity-type-path'
import type { RequestContext } from '../../context'
import { viewNotFound } from '../../errors/queries'
import { getViewRow } from './get'
import { deleteViewRow } from './store'

/** Deletes a view, not the entities that it showed. Throws 404 and 403 for the entity type, 404 for the view. */
export async function deleteView(context: RequestContext, find: FindEntityType, viewId: string): Promise<void> {
  const entityType = find(context.model)
  const { id } = await getViewRow(context, entityType, viewId)
  if (!(await deleteViewRow(context, entityType, id))) throw viewNotFound(viewId)
}
