/**
 * Making and changing views. What they say is checked as a query is, and kept with ids for slugs.
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

/** Throws 404 and 403 for the entity type, and what a query with this filter and these sorts would throw. */
export async function createView(context: RequestContext, find: FindEntityType, input: ViewInput): Promise<ViewOutput> {
  const entityType = find(context.model)
  const { title, type } = input
  const said = { filter: {}, sorts: [], visible_attributes: null, ...contents(context.model, entityType, input) }
  const created_at = timestampFromMicros(context.now())
  const view: ViewRow = { id: newId(), title, type, ...said, is_archived: false, created_at }
  // Nobody finds a view whose entity type went while it was being made.
  if (!(await insertViewRow(context, entityType, view))) throw viewNotFound(view.id)
  return renderView(context.model, entityType, view)
}

/** What is not sent stays as it is. */
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

const MEMBERS = Object.keys(ViewChange.properties) as (keyof ViewChange)[] // a schema names its type's members

const isEmpty = (input: ViewChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** What the body says of filter, sorts and attributes, by id. */
function contents(
  model: DataModel,
  entityType: EntityType,
  { filter, sorts, visible_attributes: visible }: ViewChange,
): Partial<Pick<ViewRow, 'filter' | 'sorts' | 'visible_attributes'>> {
  resolveQuery(model, entityType, { filter, sorts })
  return {
    ...(filter === undefined ? {} : { filter: filterById(model, entityType, filter) as ViewRow['filter'] }), // an object still
    ...(sorts === undefined ? {} : { sorts: sortsById(model, entityType, sorts) }),
    ...(visible === undefined
      ? {}
      : { visible_attributes: visible?.map((slugOrId) => attributeId(model, entityType, slugOrId)) ?? null }),
  }
}

const attributeId = (model: DataModel, entityType: EntityType, slugOrId: string): string =>
  getSearchable(model, entityType, slugOrId, (didYouMean) => unknownAttributeKey(slugOrId, didYouMean)).id
