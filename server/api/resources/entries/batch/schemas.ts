import { type Static, Type } from 'typebox'
import { batchAnswer, batchBody } from '#engine/entities/batch/schemas'
import { EntryChange, EntryInput, EntryOutput, EntryUpsert } from '#api/resources/entries/schemas'

export const EntryBatchBody = batchBody(
  '`create` and `upsert` have `parent_record_id`, `parent_object` and `entry_values`, `upsert` also `values_on_create`; `update` has `entry_id`, `entry_values` and `mode`; `delete` has `entry_id`.',
)
const { id, ...others } = EntryOutput.properties
export const EntryBatchAnswer = batchAnswer(id, others)

const EntryId = Type.String()
const Mode = Type.Optional(Type.Union([Type.Literal('append'), Type.Literal('overwrite')]))

/** The members of each operation. */
export const ENTRY_OPERATIONS = {
  create: Type.Object({ op: Type.Literal('create'), ...EntryInput.properties }),
  update: Type.Object({ op: Type.Literal('update'), entry_id: EntryId, ...EntryChange.properties, mode: Mode }),
  upsert: Type.Object({ op: Type.Literal('upsert'), ...EntryUpsert.properties }),
  delete: Type.Object({ op: Type.Literal('delete'), entry_id: EntryId }),
}

export type EntryOperation = Static<(typeof ENTRY_OPERATIONS)[keyof typeof ENTRY_OPERATIONS]>
