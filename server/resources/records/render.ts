/** Renders the row of a record. See docs/reference/records.md (The form of a record). */

import type { ApiContext } from '../../context'
import type { ObjectType } from '../../data-model/model'
import { recordUrl } from '../../data-model/record-url'
import { timestampFromPostgres } from '../../timing/clock'
import { createdAtText, idOf, type Row } from '../../storage/layout'
import { rendererOf } from '../../entities/read/render'

/** Compiled once per object and data model. */
interface RecordTemplate {
  readonly idHead: string
  readonly urlHead: string
}

const templates = new WeakMap<ObjectType, RecordTemplate>()

/** Renders a record as JSON text. */
export const renderRecord = (context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string =>
  `${recordHead(context, object, row)}${rendererOf(context.model, object).renderValues(row)}}`

/** The members of a record before its values. */
export function recordHead(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string {
  const { idHead, urlHead } = templateOf(context, object)
  const id = idOf(row)
  return `{"id":{${idHead}"record_id":"${id}"},"created_at":"${timestampFromPostgres(createdAtText(row))}","web_url":"${urlHead}${id}","values":`
}

function templateOf({ model, appUrl }: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): RecordTemplate {
  const cached = templates.get(object)
  if (cached) return cached
  const template = {
    idHead: `"workspace_id":"${model.workspace.id}","object_id":"${object.id}",`,
    urlHead: JSON.stringify(recordUrl(appUrl, model, object, '')).slice(1, -1),
  }
  templates.set(object, template)
  return template
}
