/**
 * Renders the row of an entry.
 * See docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The values of a record).
 */

import { type DataModel, type ListType, ModelVersionConflict } from '#engine/data-model/model'
import { timestampFromPostgres } from '#base/timing/clock'
import { createdAtText, idOf, parentOf, type Row } from '#engine/storage/layout'
import { rendererOf } from '#engine/entities/read/render'
import type { RequestContext } from '#context'

/** Renders an entry as JSON text. */
export const renderEntry = ({ model }: Pick<RequestContext, 'model'>, list: ListType, row: Row): string =>
  `${entryHead(model, list, row)}${rendererOf(model, list).renderValues(row)}}`

/** The members of an entry before its values. */
export function entryHead(model: DataModel, list: ListType, row: Row): string {
  const { object, recordId } = parentOf(row)
  const parent = model.entityTypesByNumber.get(object)
  if (!parent) throw new ModelVersionConflict(`Object ${object} is not known.`)
  const id = `{"workspace_id":"${model.workspace.id}","list_id":"${list.id}","entry_id":"${idOf(row)}"}`
  const createdAt = timestampFromPostgres(createdAtText(row))
  return `{"id":${id},"parent_record_id":"${recordId}","parent_object":${JSON.stringify(parent.api_slug)},"created_at":"${createdAt}","entry_values":`
}
