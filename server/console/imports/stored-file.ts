/** The bytes of a file, in the database, where every process finds them: written and read a piece at a time. */

import { Readable } from 'node:stream'
import type { Sql } from '../../../db/connect'
import { importTooLarge } from '../../errors/errors'
import { type CsvFile, decodeBeginning, findDelimiter } from '../../import/csv/csv'
import type { ImportKey } from './store'

const STORED_PIECE = 256 * 1024
/** Small enough that the rows of a piece are converted before an answer of the database has waited long. */
const READ_PIECE = 16 * 1024

/** Gives how many bytes there were. Throws 413 for more than allowed, as soon as they come. */
export async function storeFile(
  sql: Sql,
  key: ImportKey,
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<number> {
  let size = 0
  let number = 0
  for await (const piece of piecesOf(body ?? [])) {
    size += piece.length
    if (size > limit) throw importTooLarge(limit)
    await storePiece(sql, key, number++, piece)
  }
  return size
}

/** Of one length but for the last, however large what arrives is. Each is good until the next is asked for. */
async function* piecesOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(STORED_PIECE)
  let filled = 0
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + STORED_PIECE - filled)
      piece.set(part, filled)
      at += part.length
      filled += part.length
      if (filled < STORED_PIECE) continue
      yield piece
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

const storePiece = (sql: Sql, { workspaceId, id }: ImportKey, number: number, bytes: Buffer): Promise<unknown> => sql`
  insert into relata.import_pieces (workspace_id, import_id, number, bytes)
  values (${workspaceId}, ${id}, ${number}, ${bytes})`

async function readPiece(sql: Sql, { workspaceId, id }: ImportKey, number: number): Promise<Buffer | undefined> {
  const [row] = await sql<[{ bytes: Buffer }?]>`
    select bytes from relata.import_pieces
    where workspace_id = ${workspaceId} and import_id = ${id} and number = ${number}`
  return row?.bytes
}

/** What separates the cells of a stored file. Throws `ImportError` when it is not UTF-8. */
export async function delimiterOf(sql: Sql, key: ImportKey): Promise<string> {
  return findDelimiter(decodeBeginning((await readPiece(sql, key, 0)) ?? new Uint8Array()))
}

/** The file, to be read as often as needed; `onRead` hears how far its reader is. */
export function openStoredFile(
  sql: Sql,
  key: ImportKey,
  delimiter: string,
  onRead: (bytes: number) => void = () => {},
): CsvFile {
  const read = async function* () {
    let done = 0
    for (let number = 0; ; number++) {
      const piece = await readPiece(sql, key, number)
      if (piece === undefined) return
      for (let start = 0; start < piece.length; start += READ_PIECE) {
        const part = piece.subarray(start, start + READ_PIECE)
        done += part.length
        onRead(done)
        yield part
      }
    }
  }
  return { delimiter, open: () => Readable.from(read(), { objectMode: false }) }
}
