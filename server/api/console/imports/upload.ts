/** Stores an uploaded file and proposes a target for each of its columns. */

import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { findActivity, findObject, getWritableObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { importProblem, importTooLarge } from '#base/errors/imports'
import { activityNotImported, standardObjectDisabled } from '#base/errors/attributes'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { newId } from '#base/ids'
import { getMemberModel } from '#api/console/console-context'
import { hasPermission } from '#vocabulary/roles'
import { isBlank } from '#transfer/import/convert/readers'
import { parseTarget, renderTarget, SKIP } from '#transfer/import/mapping/mapping'
import { completeMapping } from '#transfer/import/mapping/propose-mapping'
import { ImportError } from '#transfer/import/import-context'
import { type CsvFile, decodeBeginning, findDelimiter, sampleColumns } from '#transfer/import/csv/csv'
import type { AppContext } from '#context'
import type { ImportColumn, ImportDetail, UploadQuery } from './schemas'
import { renderDetail } from './render'
import { deleteImport, getImport, type ImportKey, insertImport, markUploaded } from './store'
import { Readable } from 'node:stream'
import type { Sql } from '#db/connect'

const MAX_EXAMPLES = 3
const MAX_EXAMPLE_CHARACTERS = 80

/** Throws 400 for a file that is not CSV and 413 for one that is too large, and stores neither. */
export async function uploadImport(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slug, file_name }: UploadQuery,
  body: ReadableStream<Uint8Array> | null,
): Promise<ImportDetail> {
  const { workspaceId, memberId } = member
  const { db, now, settings } = appContext
  const model = await getMemberModel(appContext, member)
  if (findObject(model, slug) === undefined && findActivity(model, slug) !== undefined) throw activityNotImported(slug)
  const object = getWritableObject(model, slug)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  const key = { workspaceId, id: newId() }
  await insertImport(db.sql, { ...key, objectId: object.id, createdBy: memberId, fileName: file_name, now: now() })
  try {
    const size = await storeFile(db.sql, key, body, settings.importLimit)
    const delimiter = await delimiterOf(db.sql, key)
    const proposed = await proposeTargets(db.sql, key, delimiter, model, object)
    const columns = hasPermission(member, 'import_definitions') ? proposed : proposed.map(withoutNewAttribute)
    await markUploaded(db.sql, key, { size, delimiter, columns })
  } catch (error) {
    await deleteImport(db.sql, key)
    throw error instanceof ImportError ? importProblem(error.message) : error
  }
  const row = await getImport(db.sql, member, key.id)
  return renderDetail(row, { until: undefined, job: undefined }, model, object)
}

/** Leaves out columns without a name. Throws `ImportError` when all are. */
async function proposeTargets(
  sql: AppContext['db']['sql'],
  key: ImportKey,
  delimiter: string,
  model: DataModel,
  object: ObjectType,
): Promise<ImportColumn[]> {
  const { columns } = await sampleColumns(openStoredFile(sql, key, delimiter))
  if (columns.every(({ name }) => name === '')) throw new ImportError('The first row of the file names no column.')
  const proposed = await completeMapping(model, object, columns, { mapping: undefined, pairs: new Map() })
  return columns
    .filter(({ name }) => name !== '')
    .map(({ name, sample }) => ({
      name,
      examples: examplesOf(sample),
      target: renderTarget(proposed.columns.get(name) ?? null),
    }))
}

/** For members who may not create attributes. */
const withoutNewAttribute = (column: ImportColumn): ImportColumn =>
  parseTarget(column.target)?.type === undefined ? column : { ...column, target: SKIP }

function examplesOf(sample: readonly string[]): string[] {
  const filled = new Set(sample.map((value) => value.trim()).filter((value) => !isBlank(value)))
  return [...filled].slice(0, MAX_EXAMPLES).map((value) => value.slice(0, MAX_EXAMPLE_CHARACTERS).toWellFormed())
}

/** Stores the bytes of a file in the database, in pieces, so that every process can read them. */
const STORED_PIECE_BYTES = 256 * 1024
/** Small enough that the rows of a piece are converted before a database answer has waited long. */
const READ_PIECE_BYTES = 16 * 1024

/** Returns the size of the file. Throws 413 as soon as the body is larger than the limit. */
async function storeFile(
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

const storePiece = (sql: Sql, { workspaceId, id }: ImportKey, number: number, bytes: Buffer): Promise<unknown> =>
  controlQueriesIn(sql)
    .insertInto('relata.import_pieces')
    .values({ workspace_id: workspaceId, import_id: id, number, bytes })
    .execute()

async function readPiece(sql: Sql, { workspaceId, id }: ImportKey, number: number): Promise<Buffer | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.import_pieces')
    .select('bytes')
    .where(equal({ workspace_id: workspaceId, import_id: id, number }))
    .executeTakeFirst()
  return row?.bytes
}

/** Finds the delimiter of a stored file. Throws `ImportError` when the file is not UTF-8. */
async function delimiterOf(sql: Sql, key: ImportKey): Promise<string> {
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
