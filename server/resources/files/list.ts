/** Lists the files and folders of a record. See docs/reference/files.md (List). */

import { getTargetId } from '../../attribute-types/formats/references'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import type { ApiContext } from '../../context'
import { retryOnConflict } from '../../entities/write/retry-on-conflict'
import { invalidQuery } from '../../errors/http'
import { cursorsFor } from '../../query/run/cursor'
import { renderFile } from './render'
import { type FileEntryOutput, type FilesQuery, isExternalProvider } from './schemas'
import { FILE_COLUMNS, type FileRow } from './store'

export interface FilePage {
  readonly data: readonly FileEntryOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** In the order of creation. Throws 400 for an unknown object or provider, and for a cursor of another list. */
export const listFiles = (context: ApiContext, query: FilesQuery): Promise<FilePage> =>
  retryOnConflict(context, async (context) => {
    const { limit = 50, cursor } = query
    const provider = providerOf(context, query)
    const cursors = await cursorsFor(context, { id: 'files' }, query)
    const after = cursor === undefined ? undefined : cursors.decode(cursor)
    const rows = await selectPage(context, query, provider, { limit: limit + 1, after })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = last !== undefined && rows.length > limit ? cursors.encode([last.created_at, last.id]) : null
    return { data: page.map((row) => renderFile(context, row)), pagination: { next_cursor: next } }
  })

/** Null for the service itself, undefined for all providers. */
function providerOf({ brand }: ApiContext, { storage_provider: name }: FilesQuery): string | null | undefined {
  if (name === undefined || isExternalProvider(name)) return name
  if (name === brand) return null
  throw invalidQuery([{ code: 'invalid_option', path: ['storage_provider'], message: `"${name}" is not a provider` }])
}

interface Page {
  readonly limit: number
  /** The keys of the row before the page. */
  readonly after: readonly (string | null)[] | undefined
}

async function selectPage(
  { db, model }: ApiContext,
  { object, record_id, parent_folder_id }: FilesQuery,
  provider: string | null | undefined,
  { limit, after }: Page,
): Promise<FileRow[]> {
  const objectId = getTargetId(model, object)
  const isInFolder = parent_folder_id !== undefined && parent_folder_id !== 'null'
  // Folders contain no connected files.
  if (isInFolder && typeof provider === 'string') return []
  // `db.queries` plans each statement for its own filters.
  return controlQueriesIn(db.queries)
    .selectFrom('relata.files')
    .select(FILE_COLUMNS)
    .where('workspace_id', '=', model.workspace.id)
    .where('record_id', '=', record_id.toLowerCase())
    .where('object_id', '=', objectId)
    .$if(isInFolder, (some) => some.where('parent_folder_id', '=', String(parent_folder_id).toLowerCase()))
    .$if(parent_folder_id === 'null', (some) => some.where('parent_folder_id', 'is', null))
    .$if(provider === null, (some) => some.where('storage_provider', 'is', null))
    .$if(typeof provider === 'string', (some) => some.where('storage_provider', '=', String(provider)))
    .$if(after !== undefined, (some) =>
      some.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(String(after?.[0]), String(after?.[1]))),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}
