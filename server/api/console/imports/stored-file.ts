/** Stores the bytes of a file in the database, in pieces, so that every process can read them. */

import { Readable } from 'node:stream'
import type { Sql } from '#db/connect'
import { importTooLarge } from '#base/errors/imports'
import { type CsvFile, decodeBeginning, findDelimiter } from '#transfer/import/csv/csv'
import type { ImportKey } from './store'

const STORED_PIECE_BYTES = 256 * 1024
/** Small enough that the rows of a piece are converted before a database answer has waited long. */
const READ_PIECE_BYTES = 16 * 1024

/** Returns the size of the file. Throws 413 as soon as the body is larger than the limit. */
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

/** Pieces of equal length, except the last. All share one buffer, so a piece is only valid until the next one. */
async function* piecesOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(STORED_PIECE_BYTES)
  let filled = 0
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + STORED_PIECE_BYTES - filled)
      piece.set(part, filled)
      at += part.length
      filled += part.length
      if (filled < STORED_PIECE_BYTES) continue
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

/** Finds the delimiter of a stored file. Throws `ImportError` when the file is not UTF-8. */
export async function delimiterOf(sql: Sql, key: ImportKey): Promise<string> {
  return findDelimiter(decodeBeginning((await readPiece(sql, key, 0)) ?? new Uint8Array()))
}

/** `onRead` is called with the number of bytes read so far. */
export function openStoredFile(
  sql: Sql,
  key: ImportKey,
  delimiter: string,
  onRead: (bytes: number) => void = () => {},
): CsvFile {
  const read = async function* () {
    let bytesRead = 0
    for (let number = 0; ; number++) {
      const piece = await readPiece(sql, key, number)
      if (piece === undefined) return
      for (let start = 0; start < piece.length; start += READ_PIECE_BYTES) {
        const part = piece.subarray(start, start + READ_PIECE_BYTES)
        bytesRead += part.length
        onRead(bytesRead)
        yield part
      }
    }
  }
  return { delimiter, open: () => Readable.from(read(), { objectMode: false }) }
}
