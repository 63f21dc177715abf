/** From a record's row to what clients see of it. See docs/reference/records.md (The form of a record). */

import type { ApiContext } from '../../context'
import type { ObjectType } from '../../data-model/model'
import { recordUrl } from '../../data-model/record-url'
import { timestampFromPostgres } from '../../timing/clock'
import { createdAtText, idOf, type Row } from '../../storage/layout'
import { type Renderer, rendererOf } from '../../entities/read/render'

/** Compiled once per object and data model. */
interface RecordTemplate {
  readonly idHead: string
  readonly urlHead: string
}

const templates = new WeakMap<ObjectType, RecordTemplate>()

/** A record as JSON text, from a row read for `renderer`. */
export function renderRecord(
  context: Pick<ApiContext, 'model' | 'appUrl'>,
  object: ObjectType,
  row: Row,
  renderer: Renderer = rendererOf(context.model, object),
): string {
  const { idHead, urlHead } = templateOf(context, object)
  const id = idOf(row)
  const values = renderer.renderValues(row)
  return `{"id":{${idHead}"record_id":"${id}"},"created_at":"${timestampFromPostgres(createdAtText(row))}","web_url":"${urlHead}${id}","values":${values}}`
}

function templateOf({ model, appUrl }: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): RecordTemplate {
  const known = templates.get(object)
  if (known) return known
  const template = {
    idHead: `"workspace_id":"${model.workspace.id}","object_id":"${object.id}",`,
    urlHead: JSON.stringify(recordUrl(appUrl, model, object, '')).slice(1, -1),
  }
  templates.set(object, template)
  return template
}
