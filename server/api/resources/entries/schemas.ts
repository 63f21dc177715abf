/** The schemas of entries. `entities/write` checks the values by attribute. */

import { type Static, Type } from 'typebox'
import { limitOffset } from '#api/http/request/pagination'
import { Pagination } from '#engine/query/parse/schemas'
import { batchAnswer, batchBody } from '#engine/entities/operations/schemas'
import { NewValues, ValuesInput, ValuesOutput } from '#engine/entities/read/schemas'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })

const ParentRecordId = Type.String({ format: 'uuid', description: 'The parent record of the entry.' })
const ParentObject = Type.String({ description: 'Slug or id of the parent object of the list.' })

export const EntryInput = Type.Object({
  parent_record_id: ParentRecordId,
  parent_object: ParentObject,
  entry_values: ValuesInput,
})
export type EntryInput = Static<typeof EntryInput>

const NewEntry = Type.Object({ ...EntryInput.properties, entry_values: NewValues })

export const EntryUpsert = Type.Object({ ...EntryInput.properties, values_on_create: Type.Optional(ValuesInput) })
export type EntryUpsert = Static<typeof EntryUpsert>

/** The parent cannot change. It is in the schema so that a different parent is refused. */
export const EntryChange = Type.Object({
  parent_record_id: Type.Optional(ParentRecordId),
  parent_object: Type.Optional(ParentObject),
  entry_values: ValuesInput,
})
export type EntryChange = Static<typeof EntryChange>

export const CreateEntryBody = Type.Object({ data: NewEntry })
export const UpsertEntryBody = Type.Object({ data: EntryUpsert })
export const UpdateEntryBody = Type.Object({ data: EntryChange })

const EntryOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, list_id: Uuid, entry_id: Uuid }),
  parent_record_id: Uuid,
  parent_object: Type.String(),
  created_at: Timestamp,
  entry_values: ValuesOutput,
})

export const EntryAnswer = Type.Object({ data: EntryOutput })
export const EntriesAnswer = Type.Object({ data: Type.Array(EntryOutput), pagination: Type.Optional(Pagination) })
export const RecordEntriesQuery = Type.Object(limitOffset(100, 1000))
export type RecordEntriesQuery = Static<typeof RecordEntriesQuery>

export const RecordEntry = Type.Object({
  list_id: Uuid,
  list_api_slug: Type.String(),
  entry_id: Uuid,
  created_at: Timestamp,
})
export type RecordEntry = Static<typeof RecordEntry>

export const RecordEntriesAnswer = Type.Object({ data: Type.Array(RecordEntry) })

// Batches.

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
