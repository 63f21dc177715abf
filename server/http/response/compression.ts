/** Makes large answers small in the way the client prefers. See docs/reference/errors-and-limits.md (Headers). */

import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import { createLru } from '../../caching/lru'

type Encoding = 'zstd' | 'gzip' | 'br'
type Bytes = Uint8Array<ArrayBuffer>

/** Smaller answers travel in one packet anyway. */
const WORTHWHILE = 1024
/** Larger ones are compressed beside the thread that serves requests. */
const LONG_WORK = 64 * 1024

/** Best first among those a client likes equally: by what they cost here for what they save there. */
const PREFERRED: readonly Encoding[] = ['zstd', 'gzip', 'br']

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

export interface Compressed {
  readonly encoding: Encoding
  readonly bytes: Bytes
}

/** Undefined when the text is to be sent as it is. */
export function compress(text: string, encoding: Encoding): Compressed | Promise<Compressed> | undefined {
  if (text.length < WORTHWHILE) return undefined
  if (text.length < LONG_WORK) return { encoding, bytes: NOW[encoding](text) }
  return LATER[encoding](text).then((bytes) => ({ encoding, bytes }))
}

// The compressors' types allow shared memory, which they never return.
const NOW: Record<Encoding, (text: string) => Bytes> = {
  zstd: (text) => Bun.zstdCompressSync(text, { level: 1 }) as Bytes,
  gzip: (text) => Bun.gzipSync(text, { level: 1 }),
  br: (text) => brotliCompressSync(text, BROTLI) as Bytes,
}

const gzipLater = promisify<string, object, Buffer>(gzip)
const brotliLater = promisify<string, object, Buffer>(brotliCompress)

const LATER: Record<Encoding, (text: string) => Promise<Bytes>> = {
  zstd: async (text) => (await Bun.zstdCompress(text, { level: 1 })) as Bytes,
  gzip: async (text) => (await gzipLater(text, { level: 1 })) as Bytes,
  br: async (text) => (await brotliLater(text, BROTLI)) as Bytes,
}

/** Clients send few different headers, and the same ones over and over. */
const chosen = createLru<string, Encoding | 'none'>(100)
/** No client's header is as long; an answer to one that is goes out as it is. */
const LONGEST_HEADER = 500

/** The encoding an Accept-Encoding header asks for; undefined for none. */
export function chooseEncoding(accepted: string | null): Encoding | undefined {
  if (accepted === null || accepted.length > LONGEST_HEADER) return undefined
  const encoding = chosen.get(accepted) ?? readAccepted(accepted) ?? 'none'
  chosen.set(accepted, encoding)
  return encoding === 'none' ? undefined : encoding
}

function readAccepted(accepted: string): Encoding | undefined {
  const weights = new Map(accepted.toLowerCase().split(',').map(readWeight))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = Math.max(...PREFERRED.map(weightOf))
  if (best === 0 || (weights.get('identity') ?? 0) > best) return undefined
  return PREFERRED.find((encoding) => weightOf(encoding) === best)
}

function readWeight(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return [name, value >= 0 && value <= 1 ? value : 0]
}
