import type { RequestContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { etagOfRow } from '#engine/entities/read/etag'
import { rendererOf } from '#engine/entities/read/render'
import { idOf, type Row } from '#engine/storage/layout'
import type { MarkedJson } from '#base/text/marked-json'
import { renderEntry } from './render'

/** A rendered entry with the entity tag of its version, for `If-Match`. */
export interface AnsweredEntry {
  readonly id: string
  readonly entry: MarkedJson
  readonly etag: string
}

export function answerEntry({ model }: RequestContext, list: ListType, row: Row): AnsweredEntry {
  const longTexts: string[] = []
  const marked = rendererOf(model, list).markLongTexts(row, longTexts)
  return { id: idOf(row), entry: { text: renderEntry(model, list, marked), longTexts }, etag: etagOfRow(row) }
}
