import { Elysia } from 'elysia'
import { RECORD_OPERATIONS, RECORD_WRITES, RecordBatchBody, recordsToErase } from '#api/entities/record-writes'
import { collectionRoutes, entityIn, singleRoutes, tagged } from '#api/entities/routes'
import { listTrashedRecords, restoreRecord } from '#api/entities/trash'
import { ActivityTrashAnswer, TrashQuery } from '#api/entities/trash-schemas'
import type { RouteGuard } from '#api/http/guard/route'
import { EmptyAnswer } from '#base/validation/shapes'
import { deleteOperation } from '#engine/entities/operations/definitions'
import { deleteAlone } from '#engine/entities/operations/run-alone'
import { ifMatch } from '#engine/entities/read/etag'
import { ACTIVITY_RECORD_SCOPES } from '#vocabulary/scopes'
import { ACTIVITY_RECORDS } from './resource'
import { Type } from 'typebox'
import { batchAnswer } from '#engine/entities/operations/schemas'
import { ValuesOutput } from '#engine/entities/read/schemas'
import { Pagination } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

const ActivityRecordOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, activity_id: Uuid, record_id: Uuid }),
  created_at: Type.String({ format: 'date-time' }),
  values: ValuesOutput,
})

const ActivityRecordAnswer = Type.Object({ data: ActivityRecordOutput })
const ActivityRecordsAnswer = Type.Object({
  data: Type.Array(ActivityRecordOutput),
  pagination: Type.Optional(Pagination),
})

const { id, ...others } = ActivityRecordOutput.properties
const ActivityRecordBatchAnswer = batchAnswer(id, others)

const DeleteActivityRecordQuery = Type.Object({
  permanent: Type.Optional(
    Type.Boolean({
      description: 'Whether the record is deleted for good. A record in the trash is deleted from it.',
    }),
  ),
})

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
    .use(collectionRoutes(guard, ROUTES, RECORD_WRITES))
    .use(singleRoutes(guard, ROUTES, RECORD_WRITES.update))
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
