/**
 * Writes a ZIP archive as a stream. Entries are stored without compression, and their sizes follow their content, so none has to be in
 * memory. Archives and entries of more than 4 GB use ZIP64. See APPNOTE.TXT of PKWARE, 4.3.
 */

import { crc32 } from 'node:zlib'

type Write = (bytes: Uint8Array) => Promise<void>

interface Entry {
  readonly name: Buffer
  readonly crc: number
  readonly size: number
  readonly offset: number
}

export interface ZipWriter {
  /** Writes an entry. `name` is a relative path with slashes that no other entry has. */
  add(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Writes the directory at the end of the archive. */
  end(): Promise<void>
}

const VERSION = 45
/** The name is UTF-8, and the sizes follow the content. */
const FLAGS = 0x0808
const MAX_32 = 0xffff_ffff
const MAX_16 = 0xffff

/** `write` resolves when the next bytes can follow. */
export function createZipWriter(write: Write): ZipWriter {
  const entries: Entry[] = []
  let offset = 0
  const put = async (bytes: Uint8Array) => {
    offset += bytes.length
    await write(bytes)
  }
  return {
    async add(path, chunks) {
      const name = Buffer.from(path)
      const start = offset
      await put(localHeader(name))
      let [crc, size] = [0, 0]
      for await (const chunk of chunks) {
        crc = crc32(chunk, crc)
        size += chunk.length
        await put(chunk)
      }
      await put(dataDescriptor(crc, size))
      entries.push({ name, crc, size, offset: start })
    },
    async end() {
      const start = offset
      for (const entry of entries) await put(directoryEntry(entry))
      await put(directoryEnd(entries.length, start, offset - start))
    },
  }
}

/** The first of January 1980, the earliest that the format has: an archive depends on its content alone. */
const DATE = 0x0021

/** A number with its size in bytes, or bytes. */
type Field = readonly [value: number, size: 2 | 4 | 8] | Uint8Array

/** The fields of a record one after the other, with the lowest byte of each number first. */
const recordOf = (...fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.map((field) => {
      if (field instanceof Uint8Array) return field
      const [value, size] = field
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(BigInt(value))
      return bytes.subarray(0, size)
    }),
  )

/** Stored without compression, at midnight of the date. */
const STORED: readonly Field[] = [
  [FLAGS, 2],
  [0, 4],
  [DATE, 2],
]

/** With an extra field of ZIP64, so that the descriptor has sizes of eight bytes. */
const localHeader = (name: Buffer): Buffer =>
  recordOf(
    [0x0403_4b50, 4],
    [VERSION, 2],
    ...STORED,
    [0, 4], // the checksum follows the content
    [MAX_32, 4],
    [MAX_32, 4],
    [name.length, 2],
    [20, 2],
    name,
    [1, 2],
    [16, 2],
    [0, 8],
    [0, 8],
  )

const dataDescriptor = (crc: number, size: number): Buffer => recordOf([0x0807_4b50, 4], [crc, 4], [size, 8], [size, 8])

const directoryEntry = ({ name, crc, size, offset }: Entry): Buffer =>
  recordOf(
    [0x0201_4b50, 4],
    [VERSION, 2],
    [VERSION, 2],
    ...STORED,
    [crc, 4],
    [MAX_32, 4],
    [MAX_32, 4],
    [name.length, 2],
    [28, 2],
    [0, 4], // no comment, the first disk
    [0, 2],
    [0, 4],
    [MAX_32, 4],
    name,
    [1, 2],
    [24, 2],
    [size, 8],
    [size, 8],
    [offset, 8],
  )

/** The end of the directory in ZIP64, its locator, and the end without sizes that older programs look for. */
function directoryEnd(count: number, start: number, size: number): Buffer {
  const end = recordOf(
    [0x0606_4b50, 4],
    [44, 8],
    [VERSION, 2],
    [VERSION, 2],
    [0, 8],
    [count, 8],
    [count, 8],
    [size, 8],
    [start, 8],
  )
  const locator = recordOf([0x0706_4b50, 4], [0, 4], [start + size, 8], [1, 4])
  const few = Math.min(count, MAX_16)
  const older = recordOf(
    [0x0605_4b50, 4],
    [0, 4],
    [few, 2],
    [few, 2],
    [Math.min(size, MAX_32), 4],
    [Math.min(start, MAX_32), 4],
    [0, 2],
  )
  return Buffer.concat([end, locator, older])
}
