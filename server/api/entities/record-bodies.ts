/** How records of objects and of activities are written: the bodies, and what they say. `entities/write` checks the values by attribute. */

import { type Static, Type } from 'typebox'
import type { EntityCreation, EntityUpdate, EntityUpsert } from '#engine/entities/operations/definitions'
import { createCoalesced, updateCoalesced } from '#engine/entities/operations/run-coalesced'
import type { EntityOperation } from '#engine/entities/operations/run-batch'
import { batchBody, compileOperations, type NamedOperation } from '#engine/entities/operations/schemas'
import { NewValues, ValuesInput } from '#engine/entities/read/schemas'

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
