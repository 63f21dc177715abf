import type { ApiContext } from '../../context'
import type { ObjectType } from '../../data-model/model'
import { etagOfRow } from '../../entities/read/etag'
import type { Row } from '../../storage/layout'
import { renderRecord } from './render'

/** A rendered record with the entity tag of its version, for `If-Match`. */
export interface AnsweredRecord {
  readonly text: string
  readonly etag: string
}

export const answerRecord = (context: ApiContext, object: ObjectType, row: Row): AnsweredRecord => ({
  text: `{"data":${renderRecord(context, object, row)}}`,
  etag: etagOfRow(row),
})
