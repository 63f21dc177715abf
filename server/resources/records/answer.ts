import type { ApiContext } from '../../context'
import type { ObjectType } from '../../data-model/model'
import { etagOfRow } from '../../entities/read/etag'
import { JsonText } from '../../http/response/answer'
import { idOf, type Row } from '../../storage/layout'
import { renderRecord } from './render'

/** A rendered record with the entity tag of its version, for `If-Match`. */
export interface AnsweredRecord {
  readonly id: string
  /** JSON text. */
  readonly record: string
  readonly etag: string
}

export const answerRecord = (context: ApiContext, object: ObjectType, row: Row): AnsweredRecord => ({
  id: idOf(row),
  record: renderRecord(context, object, row),
  etag: etagOfRow(row),
})

/** Makes the response of a record, with the entity tag of its version. */
export const tagged = async (record: Promise<AnsweredRecord>): Promise<JsonText> => {
  const { etag, record: text } = await record
  return new JsonText(`{"data":${text}}`, { headers: { ETag: etag } })
}
