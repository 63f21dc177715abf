import type { ApiContext } from '#context'
import type { ObjectType } from '#engine/data-model/model'
import { etagOfRow } from '#engine/entities/read/etag'
import { rendererOf } from '#engine/entities/read/render'
import { type JsonText, markedAnswer } from '#api/http/response/answer'
import { idOf, type Row } from '#engine/storage/layout'
import type { MarkedJson } from '#base/text/marked-json'
import { renderRecord } from './render'

/** A rendered record with the entity tag of its version, for `If-Match`. */
export interface AnsweredRecord {
  readonly id: string
  readonly record: MarkedJson
  readonly etag: string
}

export function answerRecord(context: ApiContext, object: ObjectType, row: Row): AnsweredRecord {
  const longTexts: string[] = []
  const marked = rendererOf(context.model, object).markLongTexts(row, longTexts)
  return { id: idOf(row), record: { text: renderRecord(context, object, marked), longTexts }, etag: etagOfRow(row) }
}

/** Makes the response of a record, with the entity tag of its version. */
export const tagged = async (record: Promise<AnsweredRecord>): Promise<JsonText> => {
  const { etag, record: marked } = await record
  return markedAnswer(marked, { headers: { ETag: etag } })
}
