import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import { viewNotFound } from '../../errors/errors'
import { getViewRow } from './get'
import { deleteViewRow } from './store'

/** Deletes a view for good; what it showed stays. Throws 404 and 403 for the owner, 404 for the view. */
export async function deleteView(call: Call, find: FindOwner, viewId: string): Promise<void> {
  const owner = find(call.model)
  const { id } = await getViewRow(call, owner, viewId)
  if (!(await deleteViewRow(call, owner, id))) throw viewNotFound(viewId)
}
