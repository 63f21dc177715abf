/** The forms of a response, which the client chooses with `Accept`. See docs/reference/sql.md (Responses). */

import Negotiator from 'negotiator'
import { csvLines } from '#base/text/csv-line'
import type { RowFormat } from '#engine/sql/run/stream-rows'

const MEDIA_TYPES = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'text/plain': 'text',
} as const

export type SqlForm = (typeof MEDIA_TYPES)[keyof typeof MEDIA_TYPES]

/** A longer header is not parsed, and the response is JSON. */
const MAX_HEADER_LENGTH = 500

/** JSON when the client names none of them. */
export function chooseForm(accept: string | null): SqlForm {
  if (accept === null || accept.length > MAX_HEADER_LENGTH) return 'json'
  const offered = Object.keys(MEDIA_TYPES) as (keyof typeof MEDIA_TYPES)[] // the keys of a literal
  const chosen = new Negotiator({ headers: { accept } }).mediaType([...offered])
  return offered.includes(chosen as (typeof offered)[number]) ? MEDIA_TYPES[chosen as (typeof offered)[number]] : 'json'
}

export interface StreamFormat extends RowFormat {
  readonly contentType: string
}

/** `raw` leaves formulas unescaped. */
export const csvFormat = (raw: boolean): StreamFormat => ({
  contentType: 'text/csv; charset=utf-8; header=present',
  head: ({ list }) => csvLines([list.map(({ name }) => name)], { raw }),
  line: ({ csv }, row) => csv(row, raw),
})

export const NDJSON_FORMAT: StreamFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  head: () => '',
  *line({ json }, row) {
    yield* json(row)
    yield '\n'
  },
}
