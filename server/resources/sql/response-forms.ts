/** The forms of a response, which the client chooses with `Accept`. See docs/reference/sql.md (Responses). */

import Negotiator from 'negotiator'
import { csvRecord } from '../../sql/results/columns'
import type { RowFormat } from '../../sql/run/stream-rows'

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

export const STREAM_FORMATS: Readonly<Record<'csv' | 'ndjson', RowFormat & { readonly contentType: string }>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: ({ list }) => csvRecord(list.map(({ name }) => name)),
    line: ({ csv }, row) => csv(row),
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: () => '',
    line: ({ json }, row) => `${json(row)}\n`,
  },
}
