/**
 * From an entry's row to what clients see of it.
 * See docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The values of a record).
 */

import { type DataModel, type ListType, ModelVersionConflict } from '../../data-model/model'
import { timestampFromPostgres } from '../../timing/clock'
import { createdAtText, idOf, parentOf, type Row } from '../../storage/layout'
import { type Renderer, rendererOf } from '../../entities/read/render'

/** An entry as JSON text, from a row read for `renderer`. */
export function renderEntry(
  model: DataModel,
  list: ListType,
  row: Row,
  renderer: Renderer = rendererOf(model, list),
): string {
  const { object, recordId } = parentOf(row)
  const parent = model.entityTypesByNumber.get(object)
  if (!parent) throw new ModelVersionConflict(`Object ${object} is not known.`)
  const id = `{"workspace_id":"${model.workspace.id}","list_id":"${list.id}","entry_id":"${idOf(row)}"}`
  const createdAt = timestampFromPostgres(createdAtText(row))
  return `{"id":${id},"parent_record_id":"${recordId}","parent_object":${JSON.stringify(parent.api_slug)},"created_at":"${createdAt}","entry_values":${renderer.renderValues(row)}}`
}
