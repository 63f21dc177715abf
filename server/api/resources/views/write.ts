/**
 * Creates and changes views. Filter and sorts are checked like those of a query, and stored with ids instead of slugs.
 * Who may read an entity type may save personal views of it; shared views need the right to change it.
 * See docs/reference/views.md.
 */

import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { viewOwner } from '#engine/data-model/access/view-owner'
import { emptyPayload } from '#base/errors/http'
import { personalViewOfClient, viewNotFound } from '#base/errors/queries'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { contentsOf, renderView } from './render'
import { findOwnRow, getViewRow } from './get'
import { ViewChange, type ViewInput, type ViewOutput } from './schemas'
import { deleteViewRow, insertViewRow, updateViewRow, type ViewRow } from './store'

/** Finds the entity type of a path, to read it and to change it. */
export interface ViewFinders {
  readonly read: FindEntityType
  /** Throws 403 when the caller may only read it. */
  readonly change: FindEntityType
}

/** Throws 404 and 403 for the entity type, and the errors of a query with this filter and these sorts. */
export async function createView(context: RequestContext, find: ViewFinders, input: ViewInput): Promise<ViewOutput> {
  const { title, type, is_personal = false } = input
  const entityType = (is_personal ? find.read : find.change)(context.model)
  const contents = { filter: {}, sorts: [], visible_attributes: null, board: null }
  const view: ViewRow = {
    id: newId(),
    title,
    type,
    ...contents,
    ...contentsOf(context.model, entityType, input),
    is_archived: false,
    created_at: timestampFromMicros(context.now()),
    member_id: is_personal ? requireOwner(context) : null,
  }
  // The entity type was deleted after the check, so the view does not exist either.
  if (!(await insertViewRow(context, entityType, view))) throw viewNotFound(view.id)
  return renderView(context.model, entityType, view)
}

/** Members that the request does not name stay unchanged. */
export async function updateView(
  context: RequestContext,
  find: ViewFinders,
  viewId: string,
  input: ViewChange,
): Promise<ViewOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const own = await findOwnRow(context, find.read, viewId)
  const staysPersonal = own !== undefined && input.is_personal !== false
  const entityType = (staysPersonal ? find.read : find.change)(context.model)
  const before = own ?? (await getViewRow(context, entityType, viewId))
  const { title = before.title, type = before.type, is_archived = before.is_archived } = input
  const view = {
    ...before,
    title,
    type,
    is_archived,
    member_id: ownerAfter(context, before, input),
    ...contentsOf(context.model, entityType, input),
  }
  if (!(await updateViewRow(context, entityType, view))) throw viewNotFound(viewId)
  return renderView(context.model, entityType, view)
}

function ownerAfter(context: RequestContext, { member_id }: ViewRow, { is_personal }: ViewChange): string | null {
  if (is_personal === undefined) return member_id
  return is_personal ? requireOwner(context) : null
}

/** Throws 400 for callers that are no members. */
function requireOwner(context: RequestContext): string {
  const owner = viewOwner(context)
  if (owner === null) throw personalViewOfClient()
  return owner
}

const MEMBERS = Object.keys(ViewChange.properties) as (keyof ViewChange)[] // the schema has exactly the members of the type

const isEmpty = (input: ViewChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** Deletes a view, not the entities that it showed. Throws 404 and 403 for the entity type, 404 for the view. */
export async function deleteView(context: RequestContext, find: ViewFinders, viewId: string): Promise<void> {
  const own = await findOwnRow(context, find.read, viewId)
  const entityType = (own ? find.read : find.change)(context.model)
  const { id } = own ?? (await getViewRow(context, entityType, viewId))
  if (!(await deleteViewRow(context, entityType, id))) throw viewNotFound(viewId)
}
