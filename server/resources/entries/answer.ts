import type { RequestContext } from '../../context'
import type { ListType } from '../../data-model/model'
import { etagOfRow } from '../../entities/read/etag'
import type { Row } from '../../storage/layout'
import { renderEntry } from './render'

/** A rendered entry with the entity tag of its version, for `If-Match`. */
export interface AnsweredEntry {
  readonly text: string
  readonly etag: string
}

export const answerEntry = ({ model }: RequestContext, list: ListType, row: Row): AnsweredEntry => ({
  text: `{"data":${renderEntry(model, list, row)}}`,
  etag: etagOfRow(row),
})
