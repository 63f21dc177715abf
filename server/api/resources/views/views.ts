/**
 * Reads and changes views. Filter and sorts are checked like those of a query, and stored with ids instead of slugs. Who may
 * read an entity type may save personal views of it; shared views need the right to change it. See docs/reference/views.md.
 */

import { isUuid } from '#vocabulary/uuids'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import type { RequestContext } from '#context'
import { isHidden } from '#engine/data-model/access/hidden'
import { allowsObject, entityTypeOf } from '#engine/data-model/find'
import { viewOwner } from '#engine/data-model/viewer'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { emptyPayload, readId } from '#base/errors/http'
import { personalDefaultView, personalViewOfClient, viewNotFound, noSum, notForBoards } from '#base/errors/queries'
import { cursorsFor } from '#engine/query/run/cursor'
import { ViewChange, type ViewInput, type ViewItem, type ViewOutput, type ViewsQuery } from './schemas'
import {
  clearOtherDefaults,
  deleteViewRow,
  findViewRow,
  insertViewRow,
  listViewRows,
  updateViewRow,
  type ViewRow,
} from './store'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { attributeType } from '#engine/attribute-types/registry'
import { unknownAttributeKey } from '#base/errors/records'
import { numberMember, resolveAggregation } from '#engine/query/aggregate/resolve-aggregates'
import { findSearchable, getSearchable } from '#engine/query/resolve/resolve-path'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { filterById, resolveQuery, sortsById } from '#engine/query/resolve/resolve-query'

interface ViewsPage {
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
async function getViewRow(context: RequestContext, entityType: EntityType, viewId: string): Promise<ViewRow> {
  const view = await findViewRow(context, entityType, readId('View', viewId))
  if (!view) throw viewNotFound(viewId)
  return view
}

/** Returns a personal view of the caller; undefined for any other view. Throws 404 for the entity type. */
async function findOwnRow(context: RequestContext, find: FindEntityType, viewId: string): Promise<ViewRow | undefined> {
  if (viewOwner(context) === null || !isUuid(viewId)) return undefined
  const view = await findViewRow(context, find(context.model), viewId.toLowerCase())
  return view?.member_id === null ? undefined : view
}

/** Finds the entity type of a path, to read it and to change it. */
export interface ViewFinders {
  readonly read: FindEntityType
  /** Throws 403 when the caller may only read it. */
  readonly change: FindEntityType
}

/** Throws 404 and 403 for the entity type, and the errors of a query with this filter and these sorts. */
export async function createView(context: RequestContext, find: ViewFinders, input: ViewInput): Promise<ViewOutput> {
  const { title, type, is_personal = false, is_default = false } = input
  if (is_personal && is_default) throw personalDefaultView()
  const entityType = (is_personal ? find.read : find.change)(context.model)
  const contents = { filter: {}, sorts: [], visible_attributes: null, board: null, group_by: null }
  const view: ViewRow = {
    id: newId(),
    title,
    type,
    ...contents,
    ...contentsOf(context.model, entityType, input),
    is_default,
    is_archived: false,
    created_at: timestampFromMicros(context.now()),
    member_id: is_personal ? requireOwner(context) : null,
  }
  // The entity type was deleted after the check, so the view does not exist either.
  if (!(await insertViewRow(context, entityType, view))) throw viewNotFound(view.id)
  if (is_default) await clearOtherDefaults(context, entityType, view.id)
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
  const member_id = ownerAfter(context, before, input)
  if (member_id !== null && input.is_default === true) throw personalDefaultView()
  const view = {
    ...before,
    title,
    type,
    is_archived,
    member_id,
    is_default: (input.is_default ?? before.is_default) && member_id === null && !is_archived,
    ...contentsOf(context.model, entityType, input),
  }
  if (!(await updateViewRow(context, entityType, view))) throw viewNotFound(viewId)
  if (view.is_default && !before.is_default) await clearOtherDefaults(context, entityType, view.id)
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

// Renders views. See docs/reference/views.md (Members).

function renderViewItem(
  model: DataModel,
  entityType: EntityType,
  { id: view_id, title, created_at, type, member_id, is_default }: ViewRow,
): ViewItem {
  const workspace_id = model.workspace.id
  return {
    id: { workspace_id, ...placeOf(entityType), view_id },
    title,
    created_at,
    type,
    is_personal: member_id !== null,
    is_default,
  }
}

function placeOf({ kind, id }: EntityType) {
  switch (kind) {
    case 'object':
      return { object_id: id }
    case 'list':
      return { list_id: id }
    case 'activity':
      return { activity_id: id }
  }
}

const renderView = (model: DataModel, entityType: EntityType, view: ViewRow): ViewOutput => ({
  ...renderViewItem(model, entityType, view),
  filter: view.filter,
  sorts: view.sorts,
  visible_attributes: view.visible_attributes?.filter((id) => !isHiddenColumn(model, id)) ?? null,
  board: renderBoard(model, view.board),
  group_by: view.group_by !== null && isHiddenColumn(model, view.group_by) ? null : view.group_by,
  is_archived: view.is_archived,
})

/** The name of a column along a reference has the ids of both attributes. */
const isHiddenColumn = (model: DataModel, id: string): boolean =>
  id.split('.').some((part) => {
    const attribute = model.attributesById.get(part)
    return attribute !== undefined && (attribute.isHidden === true || isHidden(model, entityTypeOf(model, attribute)))
  })

/** A board by a hidden attribute is none for the member. */
function renderBoard(model: DataModel, board: ViewRow['board']): ViewOutput['board'] {
  if (board === null || isHiddenColumn(model, board.attribute)) return null
  const { attribute, sum_attribute: sum } = board
  return { attribute, sum_attribute: sum === null || isHiddenColumn(model, sum) ? null : sum }
}

// Checks what a view shows, and replaces slugs by ids. See docs/reference/views.md (Members).

/** In the views of a list, `parent_record.name` is an attribute of the parent records. */
const PARENT_RECORD = 'parent_record'

/** The members of the body, with ids instead of slugs. Throws the errors of a query with this filter and these sorts. */
function contentsOf(
  model: DataModel,
  entityType: EntityType,
  { filter, sorts, visible_attributes: visible, board, group_by }: ViewChange,
): Partial<Pick<ViewRow, 'filter' | 'sorts' | 'visible_attributes' | 'board' | 'group_by'>> {
  resolveQuery(model, entityType, { filter, sorts }, UNUSED_RELATIVE_CONTEXT)
  return {
    ...(filter === undefined ? {} : { filter: filterById(model, entityType, filter) as ViewRow['filter'] }), // the result is an object, like `filter`
    ...(sorts === undefined ? {} : { sorts: sortsById(model, entityType, sorts) }),
    ...(visible === undefined
      ? {}
      : { visible_attributes: visible?.map((slugOrId) => columnId(model, entityType, slugOrId)) ?? null }),
    ...(group_by === undefined ? {} : { group_by: group_by && groupId(model, entityType, group_by) }),
    ...(board === undefined ? {} : { board: board && boardOf(model, entityType, board) }),
  }
}

/** Throws 400 for an attribute by which aggregates have no groups. */
function groupId(model: DataModel, entityType: EntityType, name: string): string {
  const id = columnId(model, entityType, name)
  const [reference, attribute] = id.split('.')
  const target = attribute === undefined ? undefined : model.attributesById.get(attribute)
  const path = [
    [entityType.id, String(reference)],
    [target?.entity_type_id ?? '', String(attribute)],
  ]
  resolveAggregation(model, entityType, { group_by: target === undefined ? id : { path } })
  return id
}

/** `industry` is an attribute of the entity type, and `company.industry` one of the records to which its reference refers. */
function columnId(model: DataModel, entityType: EntityType, name: string): string {
  const at = name.indexOf('.')
  if (at < 0) return getByName(model, entityType, name).id
  const [reference, slugOrId] = [name.slice(0, at), name.slice(at + 1)]
  if (entityType.kind === 'list' && reference === PARENT_RECORD) {
    const parents = entityType.parentObjects.flatMap(({ id }) => model.entityTypesById.get(id) ?? [])
    return `${PARENT_RECORD}.${columnOf(model, entityType, parents, slugOrId)}`
  }
  const attribute = getByName(model, entityType, reference)
  if (!attributeType(attribute.type).refersToRecords) throw unknownAttributeKey(name)
  const targets = model.entityTypes.filter((each) => hasRecords(each) && allowsObject(attribute, each))
  return `${attribute.id}.${columnOf(model, entityType, targets, slugOrId)}`
}

/** The attribute of the first of these objects and activities that has it. */
function columnOf(model: DataModel, entityType: EntityType, types: readonly EntityType[], slugOrId: string): string {
  const found = types.find((each) => findSearchable(model, each, slugOrId) !== undefined)
  return getByName(model, found ?? types[0] ?? entityType, slugOrId).id
}

function boardOf(model: DataModel, entityType: EntityType, board: NonNullable<ViewChange['board']>): ViewRow['board'] {
  const attribute = getByName(model, entityType, board.attribute)
  const hasColumns = attributeType(attribute.type).optionKind !== undefined && !attribute.is_multiselect
  if (!hasColumns) throw notForBoards(attribute.api_slug)
  const { sum_attribute = null } = board
  return { attribute: attribute.id, sum_attribute: sum_attribute && getSummed(model, entityType, sum_attribute).id }
}

function getSummed(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getByName(model, entityType, slugOrId)
  if (numberMember(attribute) === undefined) throw noSum(attribute.api_slug)
  return attribute
}

const getByName = (model: DataModel, entityType: EntityType, slugOrId: string): Attribute =>
  getSearchable(model, entityType, slugOrId, (didYouMean) => unknownAttributeKey(slugOrId, didYouMean))
