/** Answers with an export as a file. */

import { contentDisposition } from './content-disposition'
import { JsonStream } from './json-stream'

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

export type ExportFormat = keyof typeof CONTENT_TYPES

/** The media types of exports, for the OpenAPI document. */
export const EXPORT_TYPES = ['text/csv', 'application/x-ndjson'] as const

/** `name` is that of the file, without its extension. */
export const exportStream = (
  pieces: Exclude<JsonStream['pieces'], { next: unknown }>,
  name: string,
  format: ExportFormat = 'ndjson',
): JsonStream =>
  new JsonStream(pieces, CONTENT_TYPES[format], {
    headers: { 'Content-Disposition': contentDisposition('attachment', `${name}.${format}`) },
  })
