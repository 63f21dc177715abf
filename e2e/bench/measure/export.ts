/** Exports all records in one response. */

import { residentBytes } from './usage'
import type { Side } from './measure'

export interface Exported {
  readonly format: ExportFormat
  readonly records: number
  readonly seconds: number
  readonly rss_begin: number
  readonly rss_most: number
}

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const
type ExportFormat = (typeof EXPORT_FORMATS)[number]

const PATH = '/v2/objects/people/records/export'

/** Throws unless the export has `expected` records. */
export async function exportPeople(
  { port, key, pid }: Side,
  format: ExportFormat,
  expected: number,
): Promise<Exported> {
  const rss_begin = residentBytes(pid)
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${PATH}?format=${format}`, {
    headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' },
  })
  if (!response.ok || response.body === null) throw new Error(`The export was answered ${response.status}.`)
  let lines = 0
  let rss_most = rss_begin
  for await (const piece of response.body) {
    lines += countLines(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    rss_most = Math.max(rss_most, residentBytes(pid))
  }
  const seconds = (performance.now() - begun) / 1000
  const records = format === 'csv' ? lines - 1 : lines
  if (records < expected) throw new Error(`The export has ${records} of ${expected} records.`)
  return { format, records, seconds, rss_begin, rss_most }
}

const LINE_FEED = 0x0a

/** No value of the people contains a line feed. */
function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}
