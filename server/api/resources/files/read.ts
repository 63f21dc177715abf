/** Reads files and folders and their lists, and makes the URL of a content. See docs/reference/files.md. */
import { signDownload } from '#api/http/signed-downloads/sign-download'
import { invalidQuery, readId } from '#base/errors/http'
import { fileNotFound, notDownloadable } from '#base/errors/meetings'
import type { ApiContext } from '#context'
import { type Database, runOnLookupPool, runRead, type Sql } from '#db/connect'
import { renderInstant } from '#engine/attribute-types/formats/instants'
import { getTargetId } from '#engine/attribute-types/formats/references'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { type Actor, type DataModel, ModelVersionConflict } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { cursorsFor } from '#engine/query/run/cursor'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'
import { type FileEntryOutput, type FilesQuery, isExternalProvider } from './schemas'
import { FILE_COLUMNS, type FileRow, findFileRow, hasChildren } from './store'

/** Throws 404, and 400 when the id is not a UUID. */
export const getFile = (context: ApiContext, fileId: string): Promise<FileEntryOutput> =>
  retryOnConflict(context, async (context) => {
    const row = await getFileRow(context, fileId)
    const entry = renderFile(context, row)
    if (entry.file_type !== 'folder') return entry
    return { ...entry, has_children: await hasChildren(context.db.sql, context.model.workspace.id, row.id) }
  })

/** Returns a URL that needs no token. Throws 404, and 400 for an entry without content. */
export async function signFileDownload(context: ApiContext, fileId: string): Promise<string> {
  const { file_type, name, blob_digest: digest, detected_type: type } = await getFileRow(context, fileId)
  if (digest === null || name === null) throw notDownloadable(file_type)
  const workspaceId = context.model.workspace.id
  const download = { workspaceId, digest, fileName: name, type: type ?? 'application/octet-stream' }
  return context.appUrl + (await signDownload(context, download))
}

async function getFileRow({ db, model }: ApiContext, fileId: string): Promise<FileRow> {
  const id = readId('File', fileId)
  const row = await runOnLookupPool(db, (sql) => findFileRow(sql, model.workspace.id, id))
  if (row === undefined || isHiddenObjectId(model, row.object_id)) throw fileNotFound(fileId)
  return row
}

/** Lists the files and folders of a record. See docs/reference/files.md (List). */
interface FilePage {
  readonly data: readonly FileEntryOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** In the order of creation. Throws 400 for an unknown object or provider, and for a cursor of another list. */
export const listFiles = (context: ApiContext, query: FilesQuery): Promise<FilePage> =>
  retryOnConflict(context, async (context) => {
    const { limit = 50, cursor } = query
    const cursors = await cursorsFor(context, { id: 'files' }, query)
    const list: FileList = {
      workspaceId: context.model.workspace.id,
      objectId: getTargetId(context.model, query.object),
      recordId: query.record_id.toLowerCase(),
      folderId: folderOf(query),
      provider: providerOf(context, query),
      noteId: query.note_id?.toLowerCase(),
      after: cursor === undefined ? undefined : cursors.decode(cursor),
      limit: limit + 1,
    }
    // Folders contain no connected files.
    const isEmpty = typeof list.folderId === 'string' && typeof list.provider === 'string'
    const rows = isEmpty ? [] : await listFileRows(context.db, list)
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = last !== undefined && rows.length > limit ? cursors.encode([last.created_at, last.id]) : null
    return { data: page.map((row) => renderFile(context, row)), pagination: { next_cursor: next } }
  })

/** Null for entries in no folder, undefined for all entries. */
const folderOf = ({ parent_folder_id: id }: FilesQuery) => (id === 'null' ? null : id?.toLowerCase())

/** Null for the service itself, undefined for all providers. */
function providerOf({ brand }: ApiContext, { storage_provider: name }: FilesQuery): string | null | undefined {
  if (name === undefined || isExternalProvider(name)) return name
  if (name === brand) return null
  throw invalidQuery([{ code: 'invalid_option', path: ['storage_provider'], message: `"${name}" is not a provider` }])
}

/**
 * The statements of lists of files. A list with one filter reads one range of the index in the third column. All entries of a
 * record have its object, and all entries of a folder have its record, so `listFileRows` compares these members afterwards.
 *
 * | filter                   | condition             | index                |
 * | ------------------------ | --------------------- | -------------------- |
 * | none                     | the record            | `files_of_record`    |
 * | a folder                 | the folder            | `files_of_folder`    |
 * | no folder                | the record, no folder | `files_of_top_level` |
 * | a provider, or no other  | the record, provider  | `files_of_provider`  |
 * | a note                   | the note              | `files_of_note`      |
 */
interface FileList {
  readonly workspaceId: string
  readonly objectId: string
  readonly recordId: string
  /** Null for entries in no folder, undefined for all. */
  readonly folderId: string | null | undefined
  /** Null for the service itself, undefined for all. */
  readonly provider: string | null | undefined
  /** Undefined for the entries that are no images of notes. */
  readonly noteId: string | undefined
  /** The keys of the row before the page. */
  readonly after: readonly (string | null)[] | undefined
  readonly limit: number
}

/** In the order of creation. */
async function listFileRows(db: Database, list: FileList): Promise<readonly FileRow[]> {
  const { after, ...parameters } = list
  const texts = columnTexts({ ...parameters, afterTime: after?.[0], afterId: after?.[1] })
  const send = (on: Sql) => selectRows<FileRow>(on, statementOf(list), texts)
  const hasBothFilters = list.folderId !== undefined && list.provider !== undefined
  // A list with both filters may pass over many entries, so it has the time limit of queries.
  const rows = await runRead(db, (pools) => (hasBothFilters ? send(pools.queries) : runOnLookupPool(pools, send)))
  return rows.filter(({ object_id, record_id }) => object_id === list.objectId && record_id === list.recordId)
}

const statementOf = statementsByShape(shapeOf, textOf)

function shapeOf({ folderId, provider, noteId, after }: FileList): string {
  const filters = [folderId, provider].map((filter) => (typeof filter === 'string' ? 'given' : String(filter)))
  return [...filters, noteId !== undefined, after !== undefined].join()
}

function textOf(param: Placeholder, { folderId, provider, noteId, after }: FileList): string {
  const of = (name: keyof FileList | 'afterTime' | 'afterId', type: string) => typedParam(param, name, type)
  const conditions = [
    `workspace_id = ${of('workspaceId', 'uuid')}`,
    typeof folderId === 'string'
      ? `parent_folder_id = ${of('folderId', 'uuid')}`
      : `record_id = ${of('recordId', 'uuid')}`,
    noteId === undefined ? 'note_id is null' : `note_id = ${of('noteId', 'uuid')}`,
    ...(folderId === null ? ['parent_folder_id is null'] : []),
    ...(provider === null ? ['storage_provider is null'] : []),
    ...(typeof provider === 'string' ? [`storage_provider = ${of('provider', 'text')}`] : []),
    ...(after === undefined
      ? []
      : [`(created_at, id) > (${of('afterTime', 'timestamptz')}, ${of('afterId', 'uuid')})`]),
  ]
  return `select ${FILE_COLUMNS.join(', ')} from relata.files where ${conditions.join(' and ')}
    order by created_at, id limit ${of('limit', 'bigint')}`
}

const SYSTEM: Actor = { type: 'system', id: null }

/** Throws `ModelVersionConflict` for an object or an actor that is newer than the data model. */
export function renderFile({ model, brand }: Pick<ApiContext, 'model' | 'brand'>, row: FileRow): FileEntryOutput {
  const common = {
    id: { workspace_id: model.workspace.id, file_id: row.id },
    object_id: row.object_id,
    object_slug: slugOf(model, row.object_id),
    record_id: row.record_id,
    storage_provider: row.storage_provider ?? brand,
    created_by_actor: actorOf(model, row.created_by),
    created_at: renderInstant(row.created_at, null),
  }
  const { name, parent_folder_id, external_provider_file_id, microsoft_drive_id } = row
  // The constraints of the table: native entries have a name, connected ones have the id of the provider.
  if (row.file_type === 'folder') return { ...common, file_type: 'folder', name: name ?? '', parent_folder_id }
  if (row.file_type === 'file') {
    const content = { content_type: row.content_type, content_size: Number(row.content_size) }
    return { ...common, file_type: 'file', name: name ?? '', ...content, parent_folder_id, note_id: row.note_id }
  }
  return {
    ...common,
    file_type: row.file_type === 'connected-file' ? 'connected-file' : 'connected-folder',
    external_provider_file_id: external_provider_file_id ?? '',
    microsoft_drive_id,
    url: row.url ?? addressOf(row),
  }
}

/** The address that follows from the id, for the providers that have such addresses. */
function addressOf({ storage_provider, file_type, external_provider_file_id }: FileRow): string | null {
  const id = encodeURIComponent(external_provider_file_id ?? '')
  if (storage_provider === 'google-drive') return `https://drive.google.com/open?id=${id}`
  if (storage_provider !== 'box') return null
  return `https://app.box.com/${file_type === 'connected-file' ? 'file' : 'folder'}/${id}`
}

function slugOf(model: DataModel, objectId: string): string {
  const object = model.entityTypesById.get(objectId)
  if (object === undefined) throw new ModelVersionConflict(`Object ${objectId} is not in the data model.`)
  return object.api_slug
}

function actorOf(model: DataModel, number: number): Actor {
  if (number === 0) return SYSTEM
  const actor = model.actors.get(number)
  if (actor === undefined) throw new ModelVersionConflict(`Actor ${number} is not in the data model.`)
  return actor
}
