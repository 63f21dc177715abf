/** Renders a page as the body of a response. */

import type { RowMessage } from '../../../db/driver/row-messages'
import { type ByteWriter, openByteWriter } from '../../text/byte-writer'
import type { KeyTexts } from '../compile/keyset'
import type { PageStatement } from '../compile/page-statement'
import type { Pagination } from '../parse/schemas'
import type { RowCollector } from './send-for-each'

/** The entities of a page, with the beginning of the body that contains them. */
export interface PageRows {
  readonly writer: ByteWriter
  /** The number of rows, with one behind the page. */
  readonly length: number
  /** The order keys of the last entity of a page with a cursor, if there is an entity behind it. */
  readonly lastKeys?: KeyTexts | undefined
}

type Render = (message: RowMessage, writer: ByteWriter) => void

/** Collects the first `limit` rows as the body of a response. */
export const collectPage = (render: Render, limit: number, keysOf?: PageStatement['keysOf']): RowCollector<PageRows> =>
  collectRows({ begin: '{"data":[', between: ',', after: '' }, render, limit, keysOf)

/** Collects the first `limit` rows, each on a line of its own. */
export const collectLines = (render: Render, limit: number, keysOf?: PageStatement['keysOf']): RowCollector<PageRows> =>
  collectRows({ begin: '', between: '', after: '\n' }, render, limit, keysOf)

/** The text before the rows, between two of them, and after each. */
interface Delimiters {
  readonly begin: string
  readonly between: string
  readonly after: string
}

function collectRows(
  { begin, between, after }: Delimiters,
  render: Render,
  limit: number,
  keysOf: PageStatement['keysOf'] | undefined,
): RowCollector<PageRows> {
  const writer = openByteWriter()
  let length = 0
  let keys: KeyTexts | undefined
  if (begin !== '') writer.text(begin)
  return {
    add(message) {
      if (++length > limit) return
      if (length > 1 && between !== '') writer.text(between)
      render(message, writer)
      if (after !== '') writer.text(after)
      if (length === limit) keys = keysOf?.(message)
    },
    end: () => ({ writer, length, lastKeys: length > limit ? keys : undefined }),
  }
}

/** A body up to its last entity. */
interface PageText {
  readonly writer: ByteWriter
  readonly pagination?: Pagination
}

/** Appends the end of the body. */
export function pageBody({ writer, pagination }: PageText): ByteWriter {
  writer.text(pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`)
  return writer
}
