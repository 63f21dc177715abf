/** Renders the row of a record. See docs/reference/records.md (The form of a record). */

import type { ApiContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { recordUrl } from '#engine/data-model/names'
import { timestampFromPostgres } from '#base/timing/clock'
import { createdAtText, idOf, POSITION, type Row } from '#engine/storage/layout'
import { spanOf } from '#engine/entities/read/copy-columns'
import { type HeadWriter, rendererOf } from '#engine/entities/read/render'

/** Compiled once per object and data model. */
interface RecordTemplate {
  readonly idHead: string
  readonly urlHead: string
  readonly writeHead: HeadWriter
}

const templates = new WeakMap<ObjectType, RecordTemplate>()

/** Renders a record as JSON text. */
export const renderRecord = (context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string =>
  `${recordHead(context, object, row)}${rendererOf(context.model, object).renderValues(row)}}`

/** The members of a record before its values. */
function recordHead(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string {
  const { idHead, urlHead } = templateOf(context, object)
  const id = idOf(row)
  return `{"id":{${idHead}"record_id":"${id}"},"created_at":"${timestampFromPostgres(createdAtText(row))}","web_url":"${urlHead}${id}","values":`
}

/** Appends the same members. */
export const recordHeadWriter = (context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): HeadWriter =>
  templateOf(context, object).writeHead

function templateOf(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): RecordTemplate {
  const { model, appUrl } = context
  const cached = templates.get(object)
  if (cached) return cached
  const idHead = `"workspace_id":"${model.workspace.id}","object_id":"${object.id}",`
  const urlHead = JSON.stringify(recordUrl(appUrl, model, object, '')).slice(1, -1)
  const template = { idHead, urlHead, writeHead: compileHeadWriter({ model, appUrl }, object, { idHead, urlHead }) }
  templates.set(object, template)
  return template
}

/** The same head, with the bytes of the id and the time that PostgreSQL sent. */
function compileHeadWriter(
  context: Pick<ApiContext, 'model' | 'appUrl'>,
  object: ObjectType,
  { idHead, urlHead }: Pick<RecordTemplate, 'idHead' | 'urlHead'>,
): HeadWriter {
  const beforeId = Buffer.from(`{"id":{${idHead}"record_id":`)
  const beforeTime = Buffer.from('},"created_at":')
  const beforeUrlId = Buffer.from(`,"web_url":"${urlHead}`)
  const beforeValues = Buffer.from('","values":')
  return (writer, message, row) => {
    const start = writer.length
    const id = spanOf(message, POSITION.id)
    const isCopied =
      writer.jsonString(beforeId, id) &&
      writer.instant(beforeTime, spanOf(message, POSITION.created_at)) &&
      writer.word(beforeUrlId, id)
    if (isCopied) writer.bytes(beforeValues)
    else {
      writer.truncate(start)
      writer.text(recordHead(context, object, row()))
    }
  }
}
