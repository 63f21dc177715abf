/**
 * How records of objects and of activities are written: the bodies, and what they say; how they are deleted, to the trash or for good.
 * `entities/write` checks the values by attribute. See docs/reference/trash.md.
 */
import { type Static, Type } from 'typebox'
import { erasureWith } from '#api/erasure/erase-records'
import { requireAllScopes } from '#base/errors/access'
import { invalidQuery } from '#base/errors/http'
import type { ApiContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import type { EntityCreation, EntityKind, EntityUpdate, EntityUpsert } from '#engine/entities/operations/definitions'
import type { EntityOperation } from '#engine/entities/operations/run-batch'
import { createCoalesced, updateCoalesced } from '#engine/entities/operations/run-coalesced'
import { batchBody, compileOperations, type NamedOperation } from '#engine/entities/operations/schemas'
import { NewValues, ValuesInput } from '#engine/entities/read/schemas'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'

const CreateBody = Type.Object({ data: Type.Object({ values: NewValues }) })
const UpdateBody = Type.Object({ data: Type.Object({ values: ValuesInput }) })
const UpsertBody = Type.Object({
  data: Type.Object({ values: ValuesInput, values_on_create: Type.Optional(ValuesInput) }),
})
const UpsertQuery = Type.Object({ matching_attribute: Type.Optional(Type.String()) })

/** How the routes of records create, upsert and update. */
export const RECORD_WRITES = {
  create: {
    body: CreateBody,
    inputOf: ({ data: { values } }: Static<typeof CreateBody>): EntityCreation => ({ values }),
    run: createCoalesced,
  },
  upsert: {
    query: UpsertQuery,
    body: UpsertBody,
    inputOf: ({ data }: Static<typeof UpsertBody>, query: Static<typeof UpsertQuery>): EntityUpsert => ({
      matchingAttribute: query.matching_attribute,
      values: data.values,
      valuesOnCreate: data.values_on_create ?? {},
    }),
  },
  update: {
    body: UpdateBody,
    changeOf: ({ data: { values } }: Static<typeof UpdateBody>): Pick<EntityUpdate, 'values'> => ({ values }),
    run: updateCoalesced,
  },
}

// Batches.

export const RecordBatchBody = batchBody(
  '`create` has `values`; `update` has `record_id`, `values` and `mode`; `upsert` has `matching_attribute`, `values` and `values_on_create`; `delete` has `record_id`.',
)

const RecordId = Type.String()
const Mode = Type.Optional(Type.Union([Type.Literal('append'), Type.Literal('overwrite')]))

/** The members of each operation. */
export const RECORD_OPERATIONS = {
  create: Type.Object({ op: Type.Literal('create'), values: ValuesInput }),
  update: Type.Object({ op: Type.Literal('update'), record_id: RecordId, values: ValuesInput, mode: Mode }),
  upsert: Type.Object({
    op: Type.Literal('upsert'),
    matching_attribute: Type.Optional(Type.String()),
    values: ValuesInput,
    values_on_create: Type.Optional(ValuesInput),
  }),
  delete: Type.Object({ op: Type.Literal('delete'), record_id: RecordId }),
}

const checkOperation = compileOperations(RECORD_OPERATIONS)

export function readRecordOperation(named: NamedOperation): EntityOperation {
  const operation = checkOperation(named)
  switch (operation.op) {
    case 'create':
      return operation
    case 'update': {
      const { op, record_id, values, mode = 'append' } = operation
      return { op, id: record_id, values, multiselectWrite: mode, ifMatch: null }
    }
    case 'upsert': {
      const { op, matching_attribute, values, values_on_create = {} } = operation
      return { op, matchingAttribute: matching_attribute, values, valuesOnCreate: values_on_create }
    }
    case 'delete':
      return { op: 'delete', id: operation.record_id, ifMatch: null }
  }
}

/** The deletion of records that the trash keeps for some days. */
export const moveToTrash: EntityKind<RecordType>['delete'] = (context, recordType, ids, check) =>
  deleteRecordEntities(context, recordType, ids, {
    check,
    trashDays: context.trashDays,
    prepareErasure: erasureWith({ now: context.now }),
  })

interface Erasure {
  /** Whether the record is not kept in the trash, and deleted from it. */
  readonly isPermanent: boolean
  /** Whether the texts of its tasks are erased as well. Only with `isPermanent`. */
  readonly erasesTasks: boolean
}

/** Records whose deletion erases them. Throws 400 and 403 for `erasesTasks`. */
export const recordsToErase = <T extends RecordType>(
  kind: EntityKind<T>,
  { isPermanent, erasesTasks }: Erasure,
): EntityKind<T> => ({
  ...kind,
  async delete(context, recordType, ids, check) {
    if (erasesTasks) requireErasableTasks(context, isPermanent)
    if (!isPermanent) return kind.delete(context, recordType, ids, check)
    const originOfTasks = erasesTasks ? () => eventOriginOf(context) : undefined
    const prepareErasure = erasureWith({ now: context.now, originOfTasks })
    const deleted = new Set<string>()
    for (const id of ids) {
      if (await purgeRecordEntity(context, recordType, id, { check, prepareErasure })) deleted.add(id)
    }
    return deleted
  },
})

function requireErasableTasks({ scopes }: ApiContext, isPermanent: boolean): void {
  requireAllScopes(scopes, ['task:read-write'])
  if (!isPermanent)
    throw invalidQuery([{ code: 'invalid', path: ['erase_tasks'], message: 'Can only be given with permanent=true' }])
}
