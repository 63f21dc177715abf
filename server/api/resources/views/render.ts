/** Renders views. See docs/reference/views.md (Members). */

import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { ViewChange, ViewItem, ViewOutput } from './schemas'
import type { ViewRow } from './store'
import { attributeType } from '#engine/attribute-types/registry'
import { noSum, notForBoards } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { numberMember } from '#engine/query/aggregate/resolve-aggregates'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import { filterById, resolveQuery, sortsById } from '#engine/query/resolve/resolve-query'

export function renderViewItem(
  model: DataModel,
  entityType: EntityType,
  { id: view_id, title, created_at, type, member_id }: ViewRow,
): ViewItem {
  const workspace_id = model.workspace.id
  return {
    id: { workspace_id, ...placeOf(entityType), view_id },
    title,
    created_at,
    type,
    is_personal: member_id !== null,
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

export const renderView = (model: DataModel, entityType: EntityType, view: ViewRow): ViewOutput => ({
  ...renderViewItem(model, entityType, view),
  filter: view.filter,
  sorts: view.sorts,
  visible_attributes: view.visible_attributes?.filter((id) => !isHiddenColumn(model, id)) ?? null,
  board: renderBoard(model, view.board),
  is_archived: view.is_archived,
})

const isHiddenColumn = (model: DataModel, id: string): boolean =>
  model.attributesById.get(id.startsWith(PARENT_PREFIX) ? id.slice(PARENT_PREFIX.length) : id)?.isHidden === true

/** A board by a hidden attribute is none for the member. */
function renderBoard(model: DataModel, board: ViewRow['board']): ViewOutput['board'] {
  const isHidden = (id: string) => isHiddenColumn(model, id)
  if (board === null || isHidden(board.attribute)) return null
  const { attribute, sum_attribute: sum } = board
  return { attribute, sum_attribute: sum === null || isHidden(sum) ? null : sum }
}

// Checks what a view shows, and replaces slugs by ids. See docs/reference/views.md (Members).

/** In the views of a list, `parent_record.name` is an attribute of the parent records. */
const PARENT_PREFIX = 'parent_record.'

/** The members of the body, with ids instead of slugs. Throws the errors of a query with this filter and these sorts. */
export function contentsOf(
  model: DataModel,
  entityType: EntityType,
  { filter, sorts, visible_attributes: visible, board }: ViewChange,
): Partial<Pick<ViewRow, 'filter' | 'sorts' | 'visible_attributes' | 'board'>> {
  resolveQuery(model, entityType, { filter, sorts })
  return {
    ...(filter === undefined ? {} : { filter: filterById(model, entityType, filter) as ViewRow['filter'] }), // the result is an object, like `filter`
    ...(sorts === undefined ? {} : { sorts: sortsById(model, entityType, sorts) }),
    ...(visible === undefined
      ? {}
      : { visible_attributes: visible?.map((slugOrId) => columnId(model, entityType, slugOrId)) ?? null }),
    ...(board === undefined ? {} : { board: board && boardOf(model, entityType, board) }),
  }
}

function columnId(model: DataModel, entityType: EntityType, slugOrId: string): string {
  const parent = entityType.kind === 'list' ? model.entityTypesById.get(entityType.parent_object_id) : undefined
  if (!parent || !slugOrId.startsWith(PARENT_PREFIX)) return getByName(model, entityType, slugOrId).id
  return PARENT_PREFIX + getByName(model, parent, slugOrId.slice(PARENT_PREFIX.length)).id
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
