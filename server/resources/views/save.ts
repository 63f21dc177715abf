/**
 * Creates and changes views. Filter and sorts are checked like those of a query, and stored with ids instead of slugs.
 * See docs/reference/views.md.
 */

import type { FindEntityType } from '../../access/list-access/entity-type-path'
import type { RequestContext } from '../../context'
import type { DataModel, EntityType } from '../../data-model/model'
import { emptyPayload } from '../../errors/http'
import { viewNotFound } from '../../errors/queries'
import { unknownAttributeKey } from '../../errors/records'
import { newId } from '../../ids'
import { filterById, sortsById } from '../../query/resolve/slugs-to-ids'
import { getSearchable } from '../../query/resolve/resolve-path'
import { resolveQuery } from '../../query/resolve/resolve-query'
import { timestampFromMicros } from '../../timing/clock'
import { getViewRow } from './get'
import { renderView } from './render'
import { ViewChange, type ViewInput, type ViewOutput } from './schemas'
import { insertViewRow, updateViewRow, type ViewRow } from './store'

/** Throws 404 and 403 for the entity type, and the errors of a query with this filter and these sorts. */
export async function createView(context: RequestContext, find: FindEntityType, input: ViewInput): Promise<ViewOutput> {
  const entityType = find(context.model)
  const { title, type } = input
  const said = { filter: {}, sorts: [], visible_attributes: null, ...contents(context.model, entityType, input) }
  const created_at = timestampFromMicros(context.now())
  const view: ViewRow = { id: newId(), title, type, ...said, is_archived: false, created_at }
  // The entity type was deleted after the check, so the view does not exist either.
  if (!(await insertViewRow(context, entityType, view))) throw viewNotFound(view.id)
  return renderView(context.model, entityType, view)
}

/** Members that the request does not name stay unchanged. */
export async function updateView(
  context: RequestContext,
  find: FindEntityType,
  viewId: string,
  input: ViewChange,
): Promise<ViewOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const entityType = find(context.model)
  const before = await getViewRow(context, entityType, viewId)
  const { title = before.title, type = before.type, is_archived = before.is_archived } = input
  const view = { ...before, title, type, is_archived, ...contents(context.model, entityType, input) }
  if (!(await updateViewRow(context, entityType, view))) throw viewNotFound(viewId)
  return renderView(context.model, entityType, view)
}

const MEMBERS = Object.keys(ViewChange.properties) as (keyof ViewChange)[] // the schema has exactly the members of the type

const isEmpty = (input: ViewChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** Returns the filter, sorts and attributes of the body with ids instead of slugs. */
function contents(
  model: DataModel,
  entityType: EntityType,
  { filter, sorts, visible_attributes: visible }: ViewChange,
): Partial<Pick<ViewRow, 'filter' | 'sorts' | 'visible_attributes'>> {
  resolveQuery(model, entityType, { filter, sorts })
  return {
    ...(filter === undefined ? {} : { filter: filterById(model, entityType, filter) as ViewRow['filter'] }), // the result is an object, like `filter`
    ...(sorts === undefined ? {} : { sorts: sortsById(model, entityType, sorts) }),
    ...(visible === undefined
      ? {}
      : { visible_attributes: visible?.map((slugOrId) => attributeId(model, entityType, slugOrId)) ?? null }),
  }
}

const attributeId = (model: DataModel, entityType: EntityType, slugOrId: string): string =>
  getSearchable(model, entityType, slugOrId, (didYouMean) => unknownAttributeKey(slugOrId, didYouMean)).id
