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

/** With an extra field of ZIP64, so that the descriptor has sizes of eight bytes. */
function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30 + name.length + 20)
  header.writeUInt32LE(0x0403_4b50, 0)
  header.writeUInt16LE(VERSION, 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt16LE(DATE, 12)
  header.writeUInt32LE(MAX_32, 18)
  header.writeUInt32LE(MAX_32, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(20, 28)
  name.copy(header, 30)
  header.writeUInt16LE(1, 30 + name.length)
  header.writeUInt16LE(16, 32 + name.length)
  return header
}

/** The first of January 1980, the earliest that the format has: an archive depends on its content alone. */
const DATE = 0x0021

function dataDescriptor(crc: number, size: number): Buffer {
  const descriptor = Buffer.alloc(24)
  descriptor.writeUInt32LE(0x0807_4b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  descriptor.writeBigUInt64LE(BigInt(size), 8)
  descriptor.writeBigUInt64LE(BigInt(size), 16)
  return descriptor
}

function directoryEntry({ name, crc, size, offset }: Entry): Buffer {
  const entry = Buffer.alloc(46 + name.length + 28)
  entry.writeUInt32LE(0x0201_4b50, 0)
  entry.writeUInt16LE(VERSION, 4)
  entry.writeUInt16LE(VERSION, 6)
  entry.writeUInt16LE(FLAGS, 8)
  entry.writeUInt16LE(DATE, 14)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(MAX_32, 20)
  entry.writeUInt32LE(MAX_32, 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(28, 30)
  entry.writeUInt32LE(MAX_32, 42)
  name.copy(entry, 46)
  const extra = 46 + name.length
  entry.writeUInt16LE(1, extra)
  entry.writeUInt16LE(24, extra + 2)
  entry.writeBigUInt64LE(BigInt(size), extra + 4)
  entry.writeBigUInt64LE(BigInt(size), extra + 12)
  entry.writeBigUInt64LE(BigInt(offset), extra + 20)
  return entry
}

/** The end of the directory in ZIP64, its locator, and the end without sizes that older programs look for. */
function directoryEnd(count: number, start: number, size: number): Buffer {
  const end = Buffer.alloc(56 + 20 + 22)
  end.writeUInt32LE(0x0606_4b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(VERSION, 12)
  end.writeUInt16LE(VERSION, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(size), 40)
  end.writeBigUInt64LE(BigInt(start), 48)
  end.writeUInt32LE(0x0706_4b50, 56)
  end.writeBigUInt64LE(BigInt(start + size), 64)
  end.writeUInt32LE(1, 72)
  end.writeUInt32LE(0x0605_4b50, 76)
  end.writeUInt16LE(Math.min(count, MAX_16), 84)
  end.writeUInt16LE(Math.min(count, MAX_16), 86)
  end.writeUInt32LE(Math.min(size, MAX_32), 88)
  end.writeUInt32LE(Math.min(start, MAX_32), 92)
  return end
}
