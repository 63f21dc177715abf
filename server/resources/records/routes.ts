import { Elysia } from 'elysia'
import { JsonText } from '../../http/response/answer'
import type { Door } from '../../http/guard/route'
import { QueryBody } from '../../query/parse/wire'
import type { Scope } from '../../scopes'
import { ValueHistoryBody, ValuesAnswer } from '../../entities/read/wire'
import type { AnsweredRecord } from './answer'
import { createRecord } from './create'
import { deleteRecord } from './delete'
import { getRecord } from './get'
import { listRecordValues } from './list-values'
import { mergeRecords } from './merge'
import { queryRecords } from './query'
import {
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
import { searchRecords } from './search'
import { SearchAnswer, SearchBody } from './search-schemas'
import { updateRecord } from './update'
import { upsertRecord } from './upsert'
import { writeRecordValues } from './write-values'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const WRITE: readonly Scope[] = ['record_permission:read-write', 'object_configuration:read']

const RECORDS = '/v2/objects/:object/records'
const RECORD = `${RECORDS}/:record_id` as const
const VALUES = `${RECORD}/attributes/:attribute/values` as const

const ifMatch = (request: Request): string | null => request.headers.get('if-match')

/** A record with its version as entity tag. */
const tagged = async (record: Promise<AnsweredRecord>): Promise<JsonText> => {
  const { text, etag } = await record
  return new JsonText(text, { headers: { ETag: etag } })
}

export const recordRoutes = (door: Door) =>
  new Elysia({ name: 'records' })
    .post(
      RECORDS,
      ...door(
        {
          operation: 'createRecord',
          summary: 'Create a record',
          tag,
          scopes: WRITE,
          body: RecordBody,
          holdsValues: true,
          response: RecordAnswer,
        },
        ({ call, params, body }) => tagged(createRecord(call, params.object, body.data.values)),
      ),
    )
    .put(
      RECORDS,
      ...door(
        {
          operation: 'upsertRecord',
          summary: 'Create or update a record by a unique attribute',
          tag,
          scopes: WRITE,
          query: UpsertQuery,
          body: UpsertBody,
          holdsValues: true,
          response: RecordAnswer,
        },
        ({ call, params, query, body }) =>
          tagged(
            upsertRecord(call, params.object, {
              matchingAttribute: query.matching_attribute,
              values: body.data.values,
              valuesOnCreate: body.data.values_on_create ?? {},
            }),
          ),
      ),
    )
    .post(
      `${RECORDS}/query`,
      ...door(
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
        ({ call, params, body }) => queryRecords(call, params.object, body),
      ),
    )
    .post(
      '/v2/objects/records/search',
      ...door(
        {
          operation: 'searchRecords',
          summary: 'Search records by what they are called',
          tag,
          scopes: READ,
          counts: 'read',
          body: SearchBody,
          response: SearchAnswer,
        },
        ({ call, body }) => searchRecords(call, body),
      ),
    )
    .post(
      `${RECORDS}/merge`,
      ...door(
        {
          operation: 'mergeRecords',
          summary: 'Merge two records into one',
          tag,
          scopes: WRITE,
          counts: 'merge',
          body: MergeBody,
          response: MergeAnswer,
        },
        ({ call, params, body }) => mergeRecords(call, params.object, body.data),
      ),
    )
    .get(
      RECORD,
      ...door(
        { operation: 'getRecord', summary: 'Get a record', tag, scopes: READ, response: RecordAnswer },
        ({ call, params }) => tagged(getRecord(call, params.object, params.record_id)),
      ),
    )
    .patch(
      RECORD,
      ...door(
        {
          operation: 'updateRecordAppend',
          summary: 'Update a record, adding to multiselect values',
          tag,
          scopes: WRITE,
          body: RecordBody,
          holdsValues: true,
          response: RecordAnswer,
        },
        ({ call, params, body, request }) =>
          tagged(
            updateRecord(call, params.object, params.record_id, {
              values: body.data.values,
              mode: 'append',
              ifMatch: ifMatch(request),
            }),
          ),
      ),
    )
    .put(
      RECORD,
      ...door(
        {
          operation: 'updateRecordOverwrite',
          summary: 'Update a record, replacing multiselect values',
          tag,
          scopes: WRITE,
          body: RecordBody,
          holdsValues: true,
          response: RecordAnswer,
        },
        ({ call, params, body, request }) =>
          tagged(
            updateRecord(call, params.object, params.record_id, {
              values: body.data.values,
              mode: 'overwrite',
              ifMatch: ifMatch(request),
            }),
          ),
      ),
    )
    .delete(
      RECORD,
      ...door(
        { operation: 'deleteRecord', summary: 'Delete a record', tag, scopes: WRITE, response: EmptyAnswer },
        ({ call, params, request }) => deleteRecord(call, params.object, params.record_id, ifMatch(request)),
      ),
    )
    .get(
      VALUES,
      ...door(
        {
          operation: 'listRecordAttributeValues',
          summary: "List an attribute's values of a record",
          tag,
          scopes: READ,
          query: ValuesListQuery,
          response: ValuesAnswer,
        },
        async ({ call, params, query }) => new JsonText(await listRecordValues(call, valuesPath(params), query)),
      ),
    )
    .put(
      VALUES,
      ...door(
        {
          operation: 'writeRecordAttributeValues',
          summary: "Replace the history of an attribute's values",
          tag,
          scopes: WRITE,
          body: ValueHistoryBody,
          holdsValues: true,
          response: ValuesAnswer,
        },
        async ({ call, params, body }) =>
          new JsonText(await writeRecordValues(call, valuesPath(params), body.data.values)),
      ),
    )

const valuesPath = (params: { object: string; record_id: string; attribute: string }) => ({
  object: params.object,
  recordId: params.record_id,
  attribute: params.attribute,
})
