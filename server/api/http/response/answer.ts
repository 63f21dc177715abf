/**
 * Makes responses from text, status and headers.
 * See docs/reference/errors-and-limits.md (The error body, Headers).
 */

import Negotiator from 'negotiator'
import { ApiError } from '#base/errors/api-error'
import type { ByteWriter } from '#base/text/byte-writer'
import { insertLongTexts, type MarkedJson } from '#base/text/marked-json'
import { createSlices, inSlices, nextTurn } from '#base/timing/in-slices'
import {
  commonHeaders,
  executionIdHeader,
  JSON_HEADERS,
  type Headers as PlainHeaders,
  queryScoreHeader,
} from './headers'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
} from 'node:zlib'
import { createLru } from '#base/caching/caching'

/** A response with this status has no body. */
export const NO_CONTENT = 204

const decoder = new TextDecoder()

/** JSON text for a response, with its status and headers. */
export class JsonText {
  readonly status: number
  readonly headers: PlainHeaders
  /** The score of the query, by which clients can slow down. */
  readonly queryScore: number | undefined
  constructor(
    /** Pieces are concatenated only when they are encoded, because a page may have megabytes. */
    readonly body: string | readonly string[] | ByteWriter,
    options: { status?: number; headers?: PlainHeaders; queryScore?: number } = {},
  ) {
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
    this.queryScore = options.queryScore
  }

  get text(): string {
    if (typeof this.body === 'string') return this.body
    return 'written' in this.body ? decoder.decode(this.body.written()) : this.body.join('')
  }

  /** Must follow the last use of a body in a writer, so that its memory is used again. */
  release(): void {
    if (typeof this.body !== 'string' && 'written' in this.body) this.body.release()
  }
}

/** Makes the response of one thing, in `data`. Its long texts are escaped in slices. */
export async function markedAnswer(
  marked: MarkedJson,
  options?: ConstructorParameters<typeof JsonText>[1],
): Promise<JsonText> {
  if (marked.longTexts.length === 0) return new JsonText(`{"data":${marked.text}}`, options)
  // The row was decoded in this turn of the event loop.
  await nextTurn()
  return new JsonText(['{"data":', ...(await inSlices(insertLongTexts(marked))), '}'], options)
}

export interface Answers {
  /** Makes a response with a JSON body. */
  json(request: Request, id: string, answer: JsonText): Response | Promise<Response>
  /** Makes the response of an error. */
  error(request: Request, id: string, error: ApiError): Response | Promise<Response>
  /** The headers of a response that is not JSON. */
  headers(id: string, queryScore?: number): Record<string, string>
}

/** Makes the id of a request, which the client gets in a header. */
export const newRequestId = (): string => crypto.randomUUID()

export function createAnswers(brand: string): Answers {
  const common = commonHeaders(brand)
  // Copying all of them takes half as long as setting each.
  const api = new Headers({ ...common, ...JSON_HEADERS })
  const idHeader = executionIdHeader(brand)
  const scoreHeader = queryScoreHeader(brand)

  const json: Answers['json'] = (request, id, answer) => {
    const headers = new Headers(api)
    headers.set(idHeader, id)
    headers.set('X-Request-Id', id)
    for (const name in answer.headers) headers.set(name, answer.headers[name] ?? '')
    if (answer.queryScore !== undefined) headers.set(scoreHeader, String(answer.queryScore))
    const encoding = chooseEncoding(request.headers.get('accept-encoding'))
    if (encoding !== undefined && isVeryLarge(answer.body)) {
      headers.set('Content-Encoding', encoding)
      return new Response(compressPieces(answer.body, encoding), { status: answer.status, headers })
    }
    const compressed = encoding && compress(answer.text, encoding)
    if (compressed === undefined) return respond(request, answer, { status: answer.status, headers })
    answer.release()
    const send = ({ bytes, encoding }: Compressed) => {
      headers.set('Content-Encoding', encoding)
      return respondWith(request, bytes, { status: answer.status, headers })
    }
    return compressed instanceof Promise ? compressed.then(send) : send(compressed)
  }

  return {
    json,
    error: (request, id, error) =>
      json(
        request,
        id,
        new JsonText(JSON.stringify(envelopeOf(error)), { status: error.status, headers: error.headers }),
      ),
    headers: (id, queryScore) => ({
      ...common,
      [idHeader]: id,
      'X-Request-Id': id,
      ...(queryScore !== undefined && { [scoreHeader]: String(queryScore) }),
    }),
  }
}

function respond(request: Request, answer: JsonText, init: ResponseInit): Response {
  const { body } = answer
  if (init.status === NO_CONTENT) return new Response(null, init)
  if (typeof body === 'string' || !('written' in body)) return respondWith(request, body, init)
  return respondWith(request, body.written(), init, () => answer.release())
}

export const envelopeOf = (error: ApiError) => ({
  status_code: error.status,
  type: error.type,
  code: error.code,
  message: error.message,
  ...error.extra,
})

/**
 * Makes responses with large bodies.
 *
 * After an `await`, Bun 1.4 sends the head of a response with a body of 15 kB or more in some sixty pieces, each by a system call
 * (oven-sh/bun 41341): that takes longer than to send 165 kB. It sends the head and the body of a direct stream at once, with a
 * `Content-Length`, when the stream ends in its only `pull` and is shorter than its high-water mark. See docs/decisions/pages.md.
 *
 * Pieces of many megabytes are sent one after the other, because to encode them at once would hold the event loop.
 */
type Bytes = Uint8Array<ArrayBuffer>
/** Pieces of text are joined only when they are sent, because they may have megabytes. */
type Body = string | readonly string[] | Bytes

/** Bun copies a shorter body behind the head. */
const MIN_LARGE_LENGTH = 15_000
/** A UTF-16 unit takes at most three bytes. */
const MAX_BYTES_OF_UNIT = 3

/** To encode and send so many characters takes milliseconds. */
const MAX_CHARACTERS_AT_ONCE = 4_000_000

const ignore = (): void => {}

/** `afterSent` is called once the bytes may change. It is not called when the client closes the connection before. */
export function respondWith(
  { method }: Pick<Request, 'method'>,
  body: Body,
  init: ResponseInit,
  afterSent: () => void = ignore,
): Response {
  if (isVeryLarge(body)) return new Response(streamOfPieces(body), init)
  // The response to HEAD needs a length, which a stream has only when it is sent.
  if (lengthOf(body) >= MIN_LARGE_LENGTH && method !== 'HEAD') return new Response(streamOf(body, afterSent), init)
  const response = new Response(isPieces(body) ? body.join('') : body, init) // copies the bytes
  afterSent()
  return response
}

/** Such a body must be encoded piece by piece. */
const isVeryLarge = (body: Body | object): body is readonly string[] =>
  Array.isArray(body) && lengthOf(body) > MAX_CHARACTERS_AT_ONCE

function streamOfPieces(pieces: readonly string[]): ReadableStream {
  const encoder = new TextEncoder()
  const pauseAfterSlice = createSlices()
  const left = pieces.values()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pauseAfterSlice()
      const { value, done } = left.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const isPieces = (body: Body): body is readonly string[] => Array.isArray(body)

const lengthOf = (body: Body): number =>
  isPieces(body) ? body.reduce((sum, piece) => sum + piece.length, 0) : body.length

function streamOf(body: Body, afterSent: () => void): ReadableStream {
  const source: Bun.DirectUnderlyingSource = {
    type: 'direct',
    pull(controller) {
      for (const piece of isPieces(body) ? body : [body]) void controller.write(piece)
      void controller.close()
      // `response.text()` reads the bytes in a microtask.
      setImmediate(afterSent)
    },
  }
  // The types of browsers lack direct streams.
  return new ReadableStream(source as never, { highWaterMark: MAX_BYTES_OF_UNIT * lengthOf(body) + 1 })
}

/** Renders the output of a route as JSON text. */
export const renderOutput = (output: JsonText | object): JsonText =>
  output instanceof JsonText ? output : new JsonText(JSON.stringify(output))

/** Makes the response of a batch. A result is JSON text of its data, or an error. */
export function batchAnswer(results: readonly (string | ApiError)[]): JsonText {
  const failed = results.filter((result) => result instanceof ApiError).length
  const pieces = results.map((result, index) => `${index > 0 ? ',' : ''}${renderResult(result)}`)
  return new JsonText([
    `{"data":{"succeeded":${results.length - failed},"failed":${failed},"results":[`,
    ...pieces,
    ']}}',
  ])
}

const renderResult = (result: string | ApiError): string =>
  result instanceof ApiError
    ? JSON.stringify({ status: result.status, error: envelopeOf(result) })
    : `{"status":200,"data":${result}}`

// Compresses large responses in the encoding that the client prefers. See docs/reference/errors-and-limits.md (Headers).

type Encoding = 'zstd' | 'gzip' | 'br'
type Offered = Encoding | 'identity'
/** A smaller response fits into one packet without compression. */
const MIN_LENGTH = 1024
/** A longer text is compressed in another thread. */
const MAX_SYNC_LENGTH = 64 * 1024

/** The order for encodings of the same weight: the best ratio of CPU time to saved bytes first. */
const PREFERRED: readonly Encoding[] = ['zstd', 'gzip', 'br']

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

export interface Compressed {
  readonly encoding: Encoding
  readonly bytes: Bytes
}

/** Returns undefined for a text that is too short. */
export function compress(text: string, encoding: Encoding): Compressed | Promise<Compressed> | undefined {
  if (text.length < MIN_LENGTH) return undefined
  if (text.length < MAX_SYNC_LENGTH) return { encoding, bytes: COMPRESS_SYNC[encoding](text) }
  return COMPRESS[encoding](text).then((bytes) => ({ encoding, bytes }))
}

// The types of the compressors allow shared memory, which the compressors never return.
const COMPRESS_SYNC: Record<Encoding, (text: string) => Bytes> = {
  zstd: (text) => Bun.zstdCompressSync(text, { level: 1 }) as Bytes,
  gzip: (text) => Bun.gzipSync(text, { level: 1 }),
  br: (text) => brotliCompressSync(text, BROTLI) as Bytes,
}

const gzipAsync = promisify<string, object, Buffer>(gzip)
const brotliAsync = promisify<string, object, Buffer>(brotliCompress)

const COMPRESS: Record<Encoding, (text: string) => Promise<Bytes>> = {
  zstd: async (text) => (await Bun.zstdCompress(text, { level: 1 })) as Bytes,
  gzip: async (text) => (await gzipAsync(text, { level: 1 })) as Bytes,
  br: async (text) => (await brotliAsync(text, BROTLI)) as Bytes,
}

/** Compresses pieces of a text one after the other, in another thread. */
const compressPieces = (pieces: readonly string[], encoding: Encoding): ReadableStream =>
  Readable.toWeb(Readable.from(pieces).pipe(COMPRESSORS[encoding]())) as unknown as ReadableStream // that of Node has other types

const COMPRESSORS: Record<Encoding, () => NodeJS.ReadWriteStream & Readable> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
  br: () => createBrotliCompress(BROTLI),
}

/** The results for recent headers. Clients send few different ones. */
const chosen = createLru<string, Offered>(100)
/** A longer header is not parsed, and its response is not compressed. */
const MAX_HEADER_LENGTH = 500

/** Chooses the encoding for an Accept-Encoding header. Returns undefined for none. */
export function chooseEncoding(accepted: string | null): Encoding | undefined {
  if (accepted === null || accepted.length > MAX_HEADER_LENGTH) return undefined
  const encoding = chosen.get(accepted) ?? negotiateEncoding(accepted)
  chosen.set(accepted, encoding)
  return encoding === 'identity' ? undefined : encoding
}

/** The library's types lack its second parameter, which orders encodings of the same weight. */
type Encodings = (available: readonly Offered[], options: { preferred: readonly Offered[] }) => Offered[]

const OFFERED: readonly Offered[] = [...PREFERRED, 'identity']

/** A weight that RFC 9110 does not allow, such as `q=9`. */
const INVALID_WEIGHT = /q=(?!(?:0|1|0\.\d{1,3}|1\.0{1,3})(?:[,;\s]|$))/

function negotiateEncoding(accepted: string): Offered {
  if (INVALID_WEIGHT.test(accepted)) return 'identity'
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } })
  const encodings: Encodings = negotiator.encodings.bind(negotiator) as Encodings // it returns only available encodings
  return encodings(OFFERED, { preferred: PREFERRED })[0] ?? 'identity'
}
