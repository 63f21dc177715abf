/** Answers with an export as a file. */

import { csvLine } from '#base/text/csv-line'
import type { ByteWriter } from '#base/text/byte-writer'
import { createSlices } from '#base/timing/in-slices'
import { JsonText } from './answer'
import type { Renew } from './event-stream'
import { JSON_HEADERS } from './headers'

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

type ExportFormat = keyof typeof CONTENT_TYPES

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

/** Answers with a table of any length as a CSV file, which is read and sent page by page. */
interface CsvTable<Row, Column extends string> {
  readonly fileName: string
  readonly columns: readonly Column[]
  readonly pages: AsyncIterable<readonly Row[]>
  valueOf(row: Row, column: Column): unknown
}

export function csvDownload<Row, Column extends string>(table: CsvTable<Row, Column>): Response {
  return new Response(linesOf(table), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': contentDisposition('attachment', table.fileName),
    },
  })
}

/** Returns the lines of the file. Stops reading when the client closes the connection. */
function linesOf<Row, Column extends string>(table: CsvTable<Row, Column>): ReadableStream<Uint8Array> {
  const { columns, pages, valueOf } = table
  const encoder = new TextEncoder()
  const iterator = pages[Symbol.asyncIterator]()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(columns))),
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done === true) return controller.close()
      const lines = value.map((row) => csvLine(columns.map((column) => valueOf(row, column))))
      controller.enqueue(encoder.encode(lines.join('')))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** Returns the Content-Disposition header, with the name in ASCII for clients that do not support `filename*`. RFC 6266. */
export function contentDisposition(type: 'attachment' | 'inline', fileName: string): string {
  const ascii = fileName.replaceAll(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

// Responses whose text is rendered while it is sent, for pages of many megabytes. See docs/decisions/exports-and-large-pages.md.

/** Text, or bytes in UTF-8. */
interface Pieces {
  next(): Promise<IteratorResult<string | Uint8Array, void>>
  return(): Promise<unknown>
}

/** The output of a route that answers with such a text. A piece that fails ends the connection, because the status is sent. */
export class JsonStream {
  constructor(
    readonly pieces: PieceSource,
    readonly contentType: string = JSON_HEADERS['Content-Type'],
    readonly options: { readonly headers?: Readonly<Record<string, string>>; readonly queryScore?: number } = {},
  ) {}
}

/** A function for pieces that depend on the caller's access at the time when they are rendered. */
type PieceSource = Pieces | ((renew: Renew) => Pieces)

/** The output of a route from JSON text, or from pieces of it. */
export const textAnswer = (text: string | AsyncGenerator<string, void>): JsonText | JsonStream =>
  typeof text === 'string' ? new JsonText(text) : new JsonStream(text)

/** The output of a query, from its whole body or from pieces of it. */
export const queryAnswer = (body: ByteWriter | PieceSource, queryScore: number): JsonText | JsonStream =>
  typeof body === 'object' && 'written' in body
    ? new JsonText(body, { queryScore })
    : new JsonStream(body, undefined, { queryScore })

/** Renders a piece when the client has taken the one before, and stops when the client closes the connection. */
export function jsonStreamResponse(
  output: JsonStream,
  headers: Readonly<Record<string, string>>,
  renew: Renew,
): Response {
  const pieces = typeof output.pieces === 'function' ? output.pieces(renew) : output.pieces
  const encoder = new TextEncoder()
  const pauseAfterSlice = createSlices()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A client that reads fast gets the next piece in the same turn of the event loop.
      await pauseAfterSlice()
      const { value, done } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, {
    headers: { ...headers, ...JSON_HEADERS, ...output.options.headers, 'Content-Type': output.contentType },
  })
}
