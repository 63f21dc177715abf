import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import type { Scope } from '#vocabulary/scopes'
import { tagged } from '#api/entities/routes'
import { RecordAnswer } from '#api/resources/records/schemas'
import { listTrashedRecords, restoreRecord } from './trash'
import { TrashAnswer, TrashQuery } from './schemas'

const tag = 'Records'
const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const WRITE: readonly Scope[] = ['record_permission:read-write', 'object_configuration:read']

const RECORDS = '/v2/objects/:object/records'

export const trashRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'trash' })
    .get(
      ...guard(
        `${RECORDS}/trash`,
        {
          operation: 'listTrashedRecords',
          summary: 'List deleted records that can be restored',
          tag,
          scopes: READ,
          query: TrashQuery,
          response: TrashAnswer,
        },
        ({ context, params, query }) => listTrashedRecords(context, params.object, query),
      ),
    )
    .post(
      ...guard(
        `${RECORDS}/:record_id/restore`,
        {
          operation: 'restoreRecord',
          summary: 'Restore a deleted record',
          description: 'With its history, its entries, its attachments and the references to it.',
          tag,
          scopes: WRITE,
          response: RecordAnswer,
        },
        ({ context, params }) => tagged(restoreRecord(context, params.object, params.record_id)),
      ),
    )
