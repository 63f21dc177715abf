import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { collectionRoutes, singleRoutes } from '#api/entities/routes'
import type { RouteGuard } from '#api/http/guard/route'
import { JOB_SCOPES } from '#api/jobs/job'
import { deleteOperation } from '#engine/entities/operations/definitions'
import { createAlone, deleteAlone, updateAlone } from '#engine/entities/operations/run-alone'
import { ifMatch, missingRecord } from '#engine/entities/read/etag'
import type { Scope } from '#vocabulary/scopes'
import { changeOf, ENTRIES, newEntryOf, upsertInputOf } from './resource'
import {
  CreateEntryBody,
  EntriesAnswer,
  EntryAnswer,
  EntryBatchAnswer,
  ENTRY_OPERATIONS,
  EntryBatchBody,
  RecordEntriesAnswer,
  RecordEntriesQuery,
  UpdateEntryBody,
  UpsertEntryBody,
  type RecordEntry,
} from './schemas'
import { readId } from '#base/errors/http'
import { visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { createRecordLookup, listsOf, type EntryRow, listEntriesOf } from '#engine/storage/read-entities'

const tag = 'Entries'
const READ: readonly Scope[] = ['list_entry:read', 'list_configuration:read']
const WRITE: readonly Scope[] = JOB_SCOPES.list
const READ_OF_RECORD: readonly Scope[] = ['record_permission:read', 'object_configuration:read', 'list_entry:read']

const PATH = '/v2/lists/:list/entries'

const ROUTES = {
  resource: ENTRIES,
  path: PATH,
  tag,
  read: READ,
  noun: { one: 'an entry', many: 'entries' },
  name: { one: 'Entry', many: 'Entries' },
  batchBody: EntryBatchBody,
  operations: ENTRY_OPERATIONS,
  batchAnswer: EntryBatchAnswer,
  answer: EntryAnswer,
  pageAnswer: EntriesAnswer,
}

export const entryRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entries' })
    .use(
      collectionRoutes(guard, ROUTES, {
        create: {
          description: 'A record can be in a list many times.',
          body: CreateEntryBody,
          inputOf: ({ data }) => newEntryOf(data),
          run: createAlone,
        },
        upsert: {
          operation: 'upsertEntryByParent',
          summary: 'Upsert a list entry by parent',
          description: 'Refused when the record has several entries in the list.',
          body: UpsertEntryBody,
          inputOf: ({ data }) => upsertInputOf(data),
        },
      }),
    )
    .use(
      singleRoutes(guard, ROUTES, {
        body: UpdateEntryBody,
        changeOf: ({ data }) => changeOf(data),
        run: updateAlone,
      }),
    )
    .delete(
      ...guard(
        `${PATH}/:entry_id`,
        {
          operation: 'deleteEntry',
          summary: 'Delete an entry',
          description: 'Permanent. The parent record remains.',
          tag,
          scopes: WRITE,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, request }) =>
          deleteAlone(deleteOperation(ENTRIES, params.list), context, {
            id: params.entry_id,
            ifMatch: ifMatch(request),
          }),
      ),
    )
    .get(
      ...guard(
        '/v2/objects/:object/records/:record_id/entries',
        {
          operation: 'listRecordEntries',
          summary: 'List the entries of a record',
          description: 'In all lists that the token can see, the newest last.',
          tag,
          scopes: READ_OF_RECORD,
          query: RecordEntriesQuery,
          response: RecordEntriesAnswer,
        },
        async ({ context, params, query }) => ({
          data: await listRecordEntries(context, params.object, params.record_id, query),
        }),
      ),
    )

/**
 * Lists the entries of a record in the lists that the caller can see, the newest last. Throws 404 for object and record.
 * See docs/reference/lists-and-entries.md (Entries of a record).
 */
const listRecordEntries = (
  context: RequestContext,
  slugOrId: string,
  recordId: string,
  { limit = 100, offset = 0 }: RecordEntriesQuery,
): Promise<RecordEntry[]> =>
  retryOnConflict(context, async (context) => {
    const { model, db } = context
    const object = getObject(model, slugOrId)
    const id = readId('Record', recordId)
    if (!(await createRecordLookup(db.sql, model).recordExists(object, id)))
      throw await missingRecord(context, object, id)
    const visible = new Set(visibleLists(context))
    const lists = listsOf(model, object).filter((list) => visible.has(list))
    const rows = await listEntriesOf(context.db.sql, lists, id, { limit, offset })
    return rows.flatMap((row) => renderRow(model, row))
  })

/** The data model has the list, because the statement was made from the same data model. */
function renderRow(model: DataModel, { list, id, created_at }: EntryRow): RecordEntry[] {
  const entityType = model.entityTypesByNumber.get(list)
  if (!entityType) return []
  const { id: list_id, api_slug: list_api_slug } = entityType
  return [{ list_id, list_api_slug, entry_id: id, created_at: timestampFromPostgres(created_at) }]
}
