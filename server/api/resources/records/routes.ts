import { EmptyAnswer } from '#base/validation/shapes'
import { Elysia } from 'elysia'
import { RECORD_OPERATIONS, RECORD_WRITES, RecordBatchBody, recordsToErase } from '#api/entities/record-writes'
import { collectionRoutes, singleRoutes } from '#api/entities/routes'
import { DeleteRecordQuery } from '#api/entities/trash-schemas'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { JOB_SCOPES } from '#api/jobs/job'
import { deleteOperation } from '#engine/entities/operations/definitions'
import { deleteAlone } from '#engine/entities/operations/run-alone'
import { ifMatch } from '#engine/entities/read/etag'
import type { Scope } from '#vocabulary/scopes'
import { listActivity } from '#api/resources/records/activity/list-activity'
import { RecordActivityAnswer, ActivityQuery } from '#api/resources/records/activity/schemas'
import { RECORDS } from './resource'
import { MergeAnswer, MergeBody, RecordAnswer, RecordBatchAnswer, RecordsAnswer } from './schemas'
import { searchRecords } from '#api/resources/records/search/search'
import { SearchAnswer, SearchBody } from '#api/resources/records/search/schemas'
import type { ApiContext } from '#context'
import { selfMerge } from '#base/errors/records'
import { getWritableObject } from '#engine/data-model/find'
import { mergeEntities } from '#engine/entities/merge/merge-entities'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const WRITE: readonly Scope[] = JOB_SCOPES.object

const PATH = '/v2/objects/:object/records'
const RECORD = `${PATH}/:record_id` as const

const ROUTES = {
  resource: RECORDS,
  path: PATH,
  tag,
  read: READ,
  noun: { one: 'a record', many: 'records' },
  name: { one: 'Record', many: 'Records' },
  batchBody: RecordBatchBody,
  operations: RECORD_OPERATIONS,
  batchAnswer: RecordBatchAnswer,
  answer: RecordAnswer,
  pageAnswer: RecordsAnswer,
}

export const recordRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'records' })
    .use(collectionRoutes(guard, ROUTES, RECORD_WRITES))
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
        `${PATH}/merge`,
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
    .use(singleRoutes(guard, ROUTES, RECORD_WRITES.update))
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
        ({ context, params, query, request }) => {
          const isPermanent = query.permanent === true
          const records = recordsToErase(RECORDS, { isPermanent, erasesTasks: query.erase_tasks === true })
          const input = { id: params.record_id, ifMatch: ifMatch(request) }
          return deleteAlone(deleteOperation(records, params.object), context, input)
        },
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
          response: RecordActivityAnswer,
        },
        async ({ context, params, query }) =>
          new JsonText(await listActivity(context, { object: params.object, recordId: params.record_id }, query)),
      ),
    )

/**
 * Merges two records of one object into a new one and returns its id. The new record is readable immediately. Throws 400
 * `self_merge`, 404 for the object, 404 `value_not_found` for a record.
 * See docs/reference/records.md (Merge).
 */
const mergeRecords = (
  context: ApiContext,
  object: string,
  ids: { readonly primary_record_id: string; readonly secondary_record_id: string },
): Promise<{ data: { new_record_id: string } }> =>
  retryOnConflict(context, async (context) => {
    const entityType = getWritableObject(context.model, object)
    const [primary, secondary] = [ids.primary_record_id.toLowerCase(), ids.secondary_record_id.toLowerCase()]
    if (primary === secondary) throw selfMerge()
    return {
      data: { new_record_id: await mergeEntities(context, entityType, [primary, secondary], context.trashDays) },
    }
  })
