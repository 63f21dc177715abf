/** Makes the body of a response from a page. A page with long texts, or in several parts, is a stream. See docs/decisions/exports-and-large-pages.md. */

import type { ApiContext } from '#context'
import type { ByteWriter } from '#base/text/byte-writer'
import { FORMATS, piecesOf } from './long-texts'
import type { PageRows } from './page-body'
import type { Page } from './query-entities'

export interface Pieces {
  next(): Promise<IteratorResult<string | Uint8Array, void>>
  return(): Promise<unknown>
}

/** Makes the context of a caller with the present access; undefined when the caller has lost access. */
export type RenewContext = () => Promise<ApiContext | undefined>

export type PieceSource = (renew: RenewContext) => Pieces

/** Returns what is produced, and cancels its statement when the client disconnects. */
export const cancellable =
  (produce: (renew: RenewContext, signal: AbortSignal) => AsyncGenerator<string | Uint8Array, void>): PieceSource =>
  (renew) => {
    const closed = new AbortController()
    const pieces = produce(renew, closed.signal)
    return {
      next: () => pieces.next(),
      return() {
        closed.abort()
        return pieces.return()
      },
    }
  }

/** The body of the response to a query. */
export function pageBody(page: Page): ByteWriter | PieceSource {
  const { rows, readNext, pagination } = page
  const end = pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`
  if (readNext !== undefined || rows.longTexts.length > 0)
    return cancellable((renew, signal) => streamPage(page, end, renew, signal))
  rows.writer.text(end)
  return rows.writer
}

/** The next part is read when the client has taken the one before, if the caller still has access. */
async function* streamPage({ rows: first, readNext }: Page, end: string, renew: RenewContext, signal: AbortSignal) {
  let rows: PageRows | undefined = first
  while (rows !== undefined) {
    yield* piecesOf(rows.writer.written(), rows.longTexts, FORMATS.json)
    rows.writer.release()
    if (readNext !== undefined && (await renew()) === undefined)
      throw new Error('The caller of a query lost access before the end of its response.')
    rows = await readNext?.(signal)
  }
  yield end
}
