import type { ApiContext } from '../../context'
import type { ObjectType } from '../../data-model/model'
import { etagOfRow } from '../../entities/read/etag'
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
