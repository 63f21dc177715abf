import { Elysia } from 'elysia'
import { ifMatch } from '#engine/entities/read/etag'
import { JsonText } from '#api/http/response/answer'
import { EXPORT_TYPES, textAnswer } from '#api/http/response/export-stream'
import type { RouteGuard } from '#api/http/guard/route'
import { ExportQuery } from '#engine/query/export/export-entities'
import { QueryBody } from '#engine/query/parse/schemas'
import type { Scope } from '#vocabulary/scopes'
import { ValueHistoryBody, ValuesAnswer } from '#engine/entities/read/schemas'
import { listActivity } from './activity/list-activity'
import { ActivityAnswer, ActivityQuery } from './activity/schemas'
import { requestsOfBatch, BatchQuery } from '#engine/entities/batch/schemas'
import { aggregateRoutes } from './aggregate/routes'
import { tagged } from './render'
import { writeRecords } from './batch/write-records'
import { RecordBatchAnswer, RecordBatchBody } from './batch/schemas'
import { createRecordCoalesced } from './coalesced/create'
import { updateRecordCoalesced } from './coalesced/update'
import { deleteRecord, mergeRecords, writeRecordValues } from './write'
import { exportRecords, getRecord, listRecordValues, queryRecords } from './read'
import {
  CreateRecordBody,
  EmptyAnswer,
  MergeAnswer,
  MergeBody,
  RecordAnswer,
  RecordBody,
  RecordsAnswer,
  UpsertBody,
  UpsertQuery,
  ValuesListQuery,
} from './schemas'
import { searchRecords } from './search/search'
import { SearchAnswer, SearchBody } from './search/schemas'
import { DeleteRecordQuery } from './trash/schemas'
import { upsertRecord } from './upsert'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const WRITE: readonly Scope[] = ['record_permission:read-write', 'object_configuration:read']

const RECORDS = '/v2/objects/:object/records'
const RECORD = `${RECORDS}/:record_id` as const
const VALUES = `${RECORD}/attributes/:attribute/values` as const

export const recordRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'records' })
    .post(
      ...guard(
        RECORDS,
        {
          operation: 'createRecord',
          summary: 'Create a record',
          tag,
          scopes: WRITE,
          body: CreateRecordBody,
          usesConfiguredLimit: true,
          response: RecordAnswer,
        },
        ({ context, params, body }) => tagged(createRecordCoalesced(context, params.object, body.data.values)),
      ),
    )
    .put(
      ...guard(
        RECORDS,
        {
          operation: 'upsertRecord',
          summary: 'Create or update a record by a unique attribute',
          tag,
          scopes: WRITE,
          query: UpsertQuery,
          body: UpsertBody,
          usesConfiguredLimit: true,
          response: RecordAnswer,
        },
        ({ context, params, query, body }) =>
          tagged(
            upsertRecord(context, params.object, {
              matchingAttribute: query.matching_attribute,
              values: body.data.values,
              valuesOnCreate: body.data.values_on_create ?? {},
            }),
          ),
      ),
    )
    .post(
      ...guard(
        `${RECORDS}/query`,
        {
          operation: 'queryRecords',
          summary: 'Query records by filter and sort',
          tag,
          scopes: READ,
          counts: 'read',
          body: QueryBody,
          bodyOptional: true,
          response: RecordsAnswer,
        },
        ({ context, params, body }) => queryRecords(context, params.object, body),
      ),
    )
    .use(aggregateRoutes(guard))
    .get(
      ...guard(
        `${RECORDS}/export`,
        {
          operation: 'exportRecords',
          summary: 'Export records as CSV or NDJSON',
          description: 'All records that the filter finds, in one streamed response.',
          tag,
          scopes: READ,
          query: ExportQuery,
          response: undefined,
          otherTypes: EXPORT_TYPES,
        },
        ({ context, params, query }) => exportRecords(context, params.object, query),
      ),
    )
    .post(
      ...guard(
        '/v2/objects/records/search',
        {
          operation: 'searchRecords',
          summary: 'Search records by name',
          tag,
          scopes: READ,
          counts: 'read',
          body: SearchBody,
          response: SearchAnswer,
        },
        ({ context, body }) => searchRecords(context, body),
      ),
    )
    .post(
      ...guard(
        `${RECORDS}/batch`,
        {
          operation: 'batchRecords',
          summary: 'Create, update and delete many records',
          description: 'Runs the operations in their order. A result has the status and the error of a single request.',
          tag,
          scopes: WRITE,
          query: BatchQuery,
          body: RecordBatchBody,
          usesConfiguredLimit: true,
          requestsOf: requestsOfBatch,
          response: RecordBatchAnswer,
        },
        ({ context, params, query, body: { data } }) =>
          writeRecords(context, params.object, data, {
            isAtomic: data.atomic ?? false,
            returns: query.return ?? 'full',
          }),
      ),
    )
    .post(
      ...guard(
        `${RECORDS}/merge`,
        {
          operation: 'mergeRecords',
          summary: 'Merge two records into one',
          tag,
          scopes: WRITE,
          counts: 'merge',
          body: MergeBody,
          response: MergeAnswer,
        },
        ({ context, params, body }) => mergeRecords(context, params.object, body.data),
      ),
    )
    .get(
      ...guard(
        RECORD,
        { operation: 'getRecord', summary: 'Get a record', tag, scopes: READ, response: RecordAnswer },
        ({ context, params }) => tagged(getRecord(context, params.object, params.record_id)),
      ),
    )
    .patch(...updateRoute(guard, 'append'))
    .put(...updateRoute(guard, 'overwrite'))
    .delete(
      ...guard(
        RECORD,
        {
          operation: 'deleteRecord',
          summary: 'Delete a record',
          description: 'The record can be restored from the trash for some days.',
          tag,
          scopes: WRITE,
          query: DeleteRecordQuery,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, query, request }) =>
          deleteRecord(context, params.object, params.record_id, {
            ifMatch: ifMatch(request),
            isPermanent: query.permanent === true,
            erasesTasks: query.erase_tasks === true,
          }),
      ),
    )
    .get(
      ...guard(
        `${RECORD}/activity`,
        {
          operation: 'listRecordActivity',
          summary: 'List what happened to a record',
          description:
            'Newest first: changes of values, entries, tasks, notes and comments. Items that the caller may not read are left out.',
          tag,
          scopes: READ,
          query: ActivityQuery,
          response: ActivityAnswer,
        },
        async ({ context, params, query }) =>
          new JsonText(await listActivity(context, { object: params.object, recordId: params.record_id }, query)),
      ),
    )
    .get(
      ...guard(
        VALUES,
        {
          operation: 'listRecordAttributeValues',
          summary: "List an attribute's values of a record",
          tag,
          scopes: READ,
          query: ValuesListQuery,
          response: ValuesAnswer,
        },
        async ({ context, params, query }) => textAnswer(await listRecordValues(context, valuesPath(params), query)),
      ),
    )
    .put(
      ...guard(
        VALUES,
        {
          operation: 'writeRecordAttributeValues',
          summary: "Replace the history of an attribute's values",
          tag,
          scopes: WRITE,
          body: ValueHistoryBody,
          usesConfiguredLimit: true,
          response: ValuesAnswer,
        },
        async ({ context, params, body }) =>
          new JsonText(await writeRecordValues(context, valuesPath(params), body.data.values)),
      ),
    )

const valuesPath = (params: { object: string; record_id: string; attribute: string }) => ({
  object: params.object,
  recordId: params.record_id,
  attribute: params.attribute,
})

/** The two updates differ in what they do to the values of multiselect attributes. */
const UPDATES = {
  append: { operation: 'updateRecordAppend', summary: 'Update a record, adding to multiselect values' },
  overwrite: { operation: 'updateRecordOverwrite', summary: 'Update a record, replacing multiselect values' },
} as const

const updateRoute = (guard: RouteGuard, multiselectWrite: keyof typeof UPDATES) =>
  guard(
    RECORD,
    {
      ...UPDATES[multiselectWrite],
      tag,
      scopes: WRITE,
      body: RecordBody,
      usesConfiguredLimit: true,
      response: RecordAnswer,
      usesIfMatch: true,
    },
    ({ context, params, body: { data }, request }) =>
      tagged(
        updateRecordCoalesced(context, params.object, params.record_id, {
          values: data.values,
          multiselectWrite,
          ifMatch: ifMatch(request),
        }),
      ),
  )
