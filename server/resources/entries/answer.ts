import type { RequestContext } from '../../context'
import type { ListType } from '../../data-model/model'
import { etagOfRow } from '../../entities/read/etag'
import { idOf, type Row } from '../../storage/layout'
import { renderEntry } from './render'

/** A rendered entry with the entity tag of its version, for `If-Match`. */
export interface AnsweredEntry {
  readonly id: string
  /** JSON text. */
  readonly entry: string
  readonly etag: string
}

export const answerEntry = ({ model }: RequestContext, list: ListType, row: Row): AnsweredEntry => ({
  id: idOf(row),
  entry: renderEntry(model, list, row),
  etag: etagOfRow(row),
})
