/** Making and changing views. What they say is checked as a query is, and kept with ids for slugs. Spec: resources 6. */

import type { FindOwner } from '../../access/entity-type-path'
import type { Call } from '../../call'
import type { DataModel, Owner } from '../../data-model/model'
import { emptyPayload, unknownAttributeKey, viewNotFound } from '../../errors/errors'
import { newId } from '../../ids'
import { filterById, sortsById } from '../../query/resolve/slugs-to-ids'
import { getSearchable } from '../../query/resolve/resolve-path'
import { resolveQuery } from '../../query/resolve/resolve-query'
import { timestampFromMicros } from '../../timing/clock'
import { getViewRow } from './get'
import { renderView } from './render'
import { ViewChange, type ViewInput, type ViewOutput } from './schemas'
import { insertViewRow, updateViewRow, type ViewRow } from './store'

/** Throws 404 and 403 for the owner, and what a query with this filter and these sorts would throw. */
export async function createView(call: Call, find: FindOwner, input: ViewInput): Promise<ViewOutput> {
  const owner = find(call.model)
  const { title, type } = input
  const said = { filter: {}, sorts: [], visible_attributes: null, ...contents(call.model, owner, input) }
  const created_at = timestampFromMicros(call.now())
  const view: ViewRow = { id: newId(), title, type, ...said, is_archived: false, created_at }
  // Nobody finds a view whose owner went while it was being made.
  if (!(await insertViewRow(call, owner, view))) throw viewNotFound(view.id)
  return renderView(call.model, owner, view)
}

/** What is not sent stays as it is. */
export async function updateView(call: Call, find: FindOwner, viewId: string, input: ViewChange): Promise<ViewOutput> {
  if (isEmpty(input)) throw emptyPayload()
  const owner = find(call.model)
  const before = await getViewRow(call, owner, viewId)
  const { title = before.title, type = before.type, is_archived = before.is_archived } = input
  const view = { ...before, title, type, is_archived, ...contents(call.model, owner, input) }
  if (!(await updateViewRow(call, owner, view))) throw viewNotFound(viewId)
  return renderView(call.model, owner, view)
}

const MEMBERS = Object.keys(ViewChange.properties) as (keyof ViewChange)[] // a schema names its type's members

const isEmpty = (input: ViewChange): boolean => MEMBERS.every((member) => input[member] === undefined)

/** What the body says of filter, sorts and attributes, by id. */
function contents(
  model: DataModel,
  owner: Owner,
  { filter, sorts, visible_attributes: visible }: ViewChange,
): Partial<Pick<ViewRow, 'filter' | 'sorts' | 'visible_attributes'>> {
  resolveQuery(model, owner, { filter, sorts })
  return {
    ...(filter === undefined ? {} : { filter: filterById(model, owner, filter) as ViewRow['filter'] }), // an object still
    ...(sorts === undefined ? {} : { sorts: sortsById(model, owner, sorts) }),
    ...(visible === undefined
      ? {}
      : { visible_attributes: visible?.map((slugOrId) => attributeId(model, owner, slugOrId)) ?? null }),
  }
}

const attributeId = (model: DataModel, owner: Owner, slugOrId: string): string =>
  getSearchable(model, owner, slugOrId, (didYouMean) => unknownAttributeKey(slugOrId, didYouMean)).id
