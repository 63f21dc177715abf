import { Elysia } from 'elysia'
import { ifMatch } from '#engine/entities/read/etag'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText, markedAnswer } from '#api/http/response/answer'
import { EXPORT_TYPES, textAnswer } from '#api/http/response/export-stream'
import { ExportQuery } from '#engine/query/export/export-entities'
import { AggregateAnswer, AggregateBody } from '#engine/query/aggregate/schemas'
import { QueryBody } from '#engine/query/parse/schemas'
import type { Scope } from '#vocabulary/scopes'
import { ValueHistoryBody, ValuesAnswer } from '#engine/entities/read/schemas'
import { requestsOfBatch, BatchQuery } from '#engine/entities/batch/schemas'
import {
  aggregateEntries,
  exportEntries,
  getEntry,
  listEntryValues,
  listRecordEntries,
  queryEntries,
  writeEntryValues,
} from './read'
import type { AnsweredEntry } from './render'
import { writeEntries } from './batch/write-entries'
import { EntryBatchAnswer, EntryBatchBody } from './batch/schemas'
import { createEntry, deleteEntry, updateEntry, upsertEntry } from './write'
import {
  CreateEntryBody,
  EmptyAnswer,
  EntriesAnswer,
  EntryAnswer,
  RecordEntriesAnswer,
  RecordEntriesQuery,
  UpdateEntryBody,
  UpsertEntryBody,
  EntryValuesQuery,
} from './schemas'

const tag = 'Entries'
const READ: readonly Scope[] = ['list_entry:read', 'list_configuration:read']
const WRITE: readonly Scope[] = ['list_entry:read-write', 'list_configuration:read']
const READ_OF_RECORD: readonly Scope[] = ['record_permission:read', 'object_configuration:read', 'list_entry:read']

const ENTRIES = '/v2/lists/:list/entries'
const ENTRY = `${ENTRIES}/:entry_id` as const
const VALUES = `${ENTRY}/attributes/:attribute/values` as const

/** Makes the response of an entry, with the entity tag of its version. */
const tagged = async (entry: Promise<AnsweredEntry>): Promise<JsonText> => {
  const { etag, entry: marked } = await entry
  return markedAnswer(marked, { headers: { ETag: etag } })
}

export const entryRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entries' })
    .use(collectionRoutes(guard))
    .use(singleRoutes(guard))
    .use(valueRoutes(guard))
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

const collectionRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entries of a list' })
    .post(
      ...guard(
        ENTRIES,
        {
          operation: 'createEntry',
          summary: 'Create an entry',
          description: 'A record can be in a list many times.',
          tag,
          scopes: WRITE,
          body: CreateEntryBody,
          usesConfiguredLimit: true,
          response: EntryAnswer,
        },
        ({ context, params, body }) => tagged(createEntry(context, params.list, body.data)),
      ),
    )
    .put(
      ...guard(
        ENTRIES,
        {
          operation: 'upsertEntryByParent',
          summary: 'Create or update the entry of a record',
          description: 'Refused when the record has several entries in the list.',
          tag,
          scopes: WRITE,
          body: UpsertEntryBody,
          usesConfiguredLimit: true,
          response: EntryAnswer,
        },
        ({ context, params, body }) => tagged(upsertEntry(context, params.list, body.data)),
      ),
    )
    .post(
      ...guard(
        `${ENTRIES}/batch`,
        {
          operation: 'batchEntries',
          summary: 'Create, update and delete many entries',
          description: 'Runs the operations in their order. A result has the status and the error of a single request.',
          tag,
          scopes: WRITE,
          query: BatchQuery,
          body: EntryBatchBody,
          usesConfiguredLimit: true,
          requestsOf: requestsOfBatch,
          response: EntryBatchAnswer,
        },
        ({ context, params, query, body: { data } }) =>
          writeEntries(context, params.list, data, {
            isAtomic: data.atomic ?? false,
            returns: query.return ?? 'full',
          }),
      ),
    )
    .post(
      ...guard(
        `${ENTRIES}/aggregate`,
        {
          operation: 'aggregateEntries',
          summary: 'Compute aggregates of entries',
          description:
            'Over everything that the filter finds: counts, sums and other aggregates, and the number by group.',
          tag,
          scopes: READ,
          counts: 'read',
          body: AggregateBody,
          bodyOptional: true,
          response: AggregateAnswer,
        },
        ({ context, params, body }) => aggregateEntries(context, params.list, body),
      ),
    )
    .post(
      ...guard(
        `${ENTRIES}/query`,
        {
          operation: 'queryEntries',
          summary: 'Query entries by filter and sort',
          counts: 'read',
          tag,
          scopes: READ,
          body: QueryBody,
          bodyOptional: true,
          response: EntriesAnswer,
        },
        ({ context, params, body }) => queryEntries(context, params.list, body),
      ),
    )
    .get(
      ...guard(
        `${ENTRIES}/export`,
        {
          operation: 'exportEntries',
          summary: 'Export entries as CSV or NDJSON',
          description: 'All entries that the filter finds, in one streamed response.',
          tag,
          scopes: READ,
          query: ExportQuery,
          response: undefined,
          otherTypes: EXPORT_TYPES,
        },
        ({ context, params, query }) => exportEntries(context, params.list, query),
      ),
    )

const singleRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entry' })
    .get(
      ...guard(
        ENTRY,
        { operation: 'getEntry', summary: 'Get an entry', tag, scopes: READ, response: EntryAnswer },
        ({ context, params }) => tagged(getEntry(context, params.list, params.entry_id)),
      ),
    )
    .patch(...updateRoute(guard, 'append'))
    .put(...updateRoute(guard, 'overwrite'))
    .delete(
      ...guard(
        ENTRY,
        {
          operation: 'deleteEntry',
          summary: 'Delete an entry',
          description: 'Permanent. The parent record remains.',
          tag,
          scopes: WRITE,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, request }) => deleteEntry(context, params.list, params.entry_id, ifMatch(request)),
      ),
    )

const valueRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'entry values' })
    .get(
      ...guard(
        VALUES,
        {
          operation: 'listEntryAttributeValues',
          summary: "List an attribute's values of an entry",
          tag,
          scopes: READ,
          query: EntryValuesQuery,
          response: ValuesAnswer,
        },
        async ({ context, params, query }) => textAnswer(await listEntryValues(context, valuesPath(params), query)),
      ),
    )
    .put(
      ...guard(
        VALUES,
        {
          operation: 'writeEntryAttributeValues',
          summary: "Replace the history of an attribute's values of an entry",
          tag,
          scopes: WRITE,
          body: ValueHistoryBody,
          usesConfiguredLimit: true,
          response: ValuesAnswer,
        },
        async ({ context, params, body }) =>
          new JsonText(await writeEntryValues(context, valuesPath(params), body.data.values)),
      ),
    )

const valuesPath = (params: { list: string; entry_id: string; attribute: string }) => ({
  list: params.list,
  entryId: params.entry_id,
  attribute: params.attribute,
})

/** The two updates differ in what they do to the values of multiselect attributes. */
const UPDATES = {
  append: { operation: 'updateEntryAppend', summary: 'Update an entry, adding to multiselect values' },
  overwrite: { operation: 'updateEntryOverwrite', summary: 'Update an entry, replacing multiselect values' },
} as const

const updateRoute = (guard: RouteGuard, multiselectWrite: keyof typeof UPDATES) =>
  guard(
    ENTRY,
    {
      ...UPDATES[multiselectWrite],
      tag,
      scopes: WRITE,
      body: UpdateEntryBody,
      usesConfiguredLimit: true,
      response: EntryAnswer,
      usesIfMatch: true,
    },
    ({ context, params, body: { data: change }, request }) =>
      tagged(
        updateEntry(context, params.list, params.entry_id, { change, multiselectWrite, ifMatch: ifMatch(request) }),
      ),
  )
