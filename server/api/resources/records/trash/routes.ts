import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import type { Scope } from '#vocabulary/scopes'
import { entityIn, tagged } from '#api/entities/routes'
import { RecordAnswer } from '#api/resources/records/schemas'
import { RECORDS } from '#api/resources/records/resource'
import { listTrashedRecords, restoreRecord } from '#api/entities/trash'
import { TrashAnswer, TrashQuery } from '#api/entities/trash-schemas'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const WRITE: readonly Scope[] = ['record_permission:read-write', 'object_configuration:read']

const PATH = '/v2/objects/:object/records'

export const trashRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'trash' })
    .get(
      ...guard(
        `${PATH}/trash`,
        {
          operation: 'listTrashedRecords',
          summary: 'List deleted records that can be restored',
          tag,
          scopes: READ,
          query: TrashQuery,
          response: TrashAnswer,
        },
        ({ context, params, query }) => listTrashedRecords(RECORDS, context, params.object, query),
      ),
    )
    .post(
      ...guard(
        `${PATH}/:record_id/restore`,
        {
          operation: 'restoreRecord',
          summary: 'Restore a deleted record',
          description: 'With its history, its entries, its attachments and the references to it.',
          tag,
          scopes: WRITE,
          response: RecordAnswer,
        },
        ({ context, params }) => tagged(restoreRecord(RECORDS, context, entityIn(RECORDS, params))),
      ),
    )
