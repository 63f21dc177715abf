/** Compresses large responses in the encoding that the client prefers. See docs/reference/errors-and-limits.md (Headers). */

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
import Negotiator from 'negotiator'
import { createLru } from '#base/caching/caching'

type Encoding = 'zstd' | 'gzip' | 'br'
type Offered = Encoding | 'identity'
type Bytes = Uint8Array<ArrayBuffer>

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
export const compressPieces = (pieces: readonly string[], encoding: Encoding): ReadableStream =>
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
