import { Elysia } from 'elysia'
import {
  CreateRecordBody,
  RECORD_OPERATIONS,
  recordChangeOf,
  RecordBatchBody,
  RecordBody,
  UpsertBody,
  UpsertQuery,
} from '#api/entities/record-bodies'
import { recordsToErase } from '#api/entities/record-deletion'
import { collectionRoutes, entityIn, singleRoutes, tagged } from '#api/entities/routes'
import { listTrashedRecords, restoreRecord } from '#api/entities/trash'
import { ActivityTrashAnswer, TrashQuery } from '#api/entities/trash-schemas'
import type { RouteGuard } from '#api/http/guard/route'
import { EmptyAnswer } from '#base/validation/shapes'
import { createOperation, deleteOperation, upsertOperation } from '#engine/entities/operations/definitions'
import { deleteAlone, upsertAlone } from '#engine/entities/operations/run-alone'
import { createCoalesced, updateCoalesced } from '#engine/entities/operations/run-coalesced'
import { ifMatch } from '#engine/entities/read/etag'
import { ACTIVITY_RECORD_SCOPES } from '#vocabulary/scopes'
import { ACTIVITY_RECORDS } from './resource'
import {
  ActivityRecordAnswer,
  ActivityRecordBatchAnswer,
  ActivityRecordsAnswer,
  DeleteActivityRecordQuery,
} from './schemas'

const tag = 'Activities'
const { read, write } = ACTIVITY_RECORD_SCOPES

const PATH = '/v2/activities/:activity/records'
const RECORD = `${PATH}/:record_id` as const

const ROUTES = {
  resource: ACTIVITY_RECORDS,
  path: PATH,
  tag,
  read,
  noun: { one: 'a record of an activity', many: 'records of an activity' },
  name: { one: 'ActivityRecord', many: 'ActivityRecords' },
  batchBody: RecordBatchBody,
  operations: RECORD_OPERATIONS,
  batchAnswer: ActivityRecordBatchAnswer,
  answer: ActivityRecordAnswer,
  pageAnswer: ActivityRecordsAnswer,
}

export const activityRecordRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'records of activities' })
    .post(
      ...guard(
        PATH,
        {
          operation: 'createActivityRecord',
          summary: 'Create a record of an activity',
          tag,
          scopes: write,
          body: CreateRecordBody,
          usesConfiguredLimit: true,
          response: ActivityRecordAnswer,
        },
        ({ context, params, body }) => {
          const creation = createOperation(ACTIVITY_RECORDS, params.activity)
          return tagged(createCoalesced(creation, context, { values: body.data.values }))
        },
      ),
    )
    .put(
      ...guard(
        PATH,
        {
          operation: 'upsertActivityRecord',
          summary: 'Upsert a record of an activity',
          tag,
          scopes: write,
          query: UpsertQuery,
          body: UpsertBody,
          usesConfiguredLimit: true,
          response: ActivityRecordAnswer,
        },
        ({ context, params, query, body: { data } }) =>
          tagged(
            upsertAlone(upsertOperation(ACTIVITY_RECORDS, params.activity), context, {
              matchingAttribute: query.matching_attribute,
              values: data.values,
              valuesOnCreate: data.values_on_create ?? {},
            }),
          ),
      ),
    )
    .use(collectionRoutes(guard, ROUTES))
    .use(singleRoutes(guard, ROUTES, { body: RecordBody, changeOf: recordChangeOf, run: updateCoalesced }))
    .delete(
      ...guard(
        RECORD,
        {
          operation: 'deleteActivityRecord',
          summary: 'Delete a record of an activity',
          description: 'The record can be restored from the trash for some days.',
          tag,
          scopes: write,
          query: DeleteActivityRecordQuery,
          response: EmptyAnswer,
          usesIfMatch: true,
        },
        ({ context, params, query, request }) => {
          const records = recordsToErase(ACTIVITY_RECORDS, {
            isPermanent: query.permanent === true,
            erasesTasks: false,
          })
          const input = { id: params.record_id, ifMatch: ifMatch(request) }
          return deleteAlone(deleteOperation(records, params.activity), context, input)
        },
      ),
    )
    .get(
      ...guard(
        `${PATH}/trash`,
        {
          operation: 'listTrashedActivityRecords',
          summary: 'List deleted records of an activity that can be restored',
          tag,
          scopes: read,
          query: TrashQuery,
          response: ActivityTrashAnswer,
        },
        ({ context, params, query }) => listTrashedRecords(ACTIVITY_RECORDS, context, params.activity, query),
      ),
    )
    .post(
      ...guard(
        `${RECORD}/restore`,
        {
          operation: 'restoreActivityRecord',
          summary: 'Restore a deleted record of an activity',
          description: 'With its history and the references to it.',
          tag,
          scopes: write,
          response: ActivityRecordAnswer,
        },
        ({ context, params }) => tagged(restoreRecord(ACTIVITY_RECORDS, context, entityIn(ACTIVITY_RECORDS, params))),
      ),
    )
