/** Checks what a view shows, and replaces slugs by ids. See docs/reference/views.md (Members). */

import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { noSum, notForBoards } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { numberMember } from '#engine/query/aggregate/resolve-aggregates'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { filterById, sortsById } from '#engine/query/resolve/slugs-to-ids'
import type { ViewChange } from './schemas'
import type { ViewRow } from './store'

/** In the views of a list, `parent_record.name` is an attribute of the parent records. */
export const PARENT_PREFIX = 'parent_record.'

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
