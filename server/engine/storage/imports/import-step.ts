/** The steps of statements that store which records an import creates and changes, for its undo. See docs/decisions/import-runs-and-undo.md. */

import type { Transaction } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import type { Stored } from '#engine/attribute-types/define'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type AttributeChange, isChanged } from '#engine/storage/entity-change'
import { storedIn } from '#engine/storage/provenance'
import { type ParameterTexts, type Placeholder, statementText, typedParam } from '#engine/storage/statement'

/** Stores the ids that `ids` selects. No step without an import. */
const creationSteps = (
  param: Placeholder,
  { schema }: DataModel,
  { number }: EntityType,
  { importId, ids }: { readonly importId: string | undefined; readonly ids: () => string },
): string[] =>
  importId === undefined
    ? []
    : [
        `import_creation as (insert into ${schema}.import_creations (import_id, object, record_ids)
          select ${typedParam(param, 'import_id', 'uuid')}, ${number}, ${ids()})`,
      ]

/** Of an insert whose parameter `id` names the entity. No effect unless the step `preconditions_met` has a row. */
export const creationOfOneSteps = (
  param: Placeholder,
  model: DataModel,
  entityType: EntityType,
  importId: string | undefined,
): string[] =>
  creationSteps(param, model, entityType, {
    importId,
    ids: () => `array[${typedParam(param, 'id', 'uuid')}] from preconditions_met`,
  })

/** Of the entities whose ids the step `inserted` returns: one row with all of them. */
export const creationOfManySteps = (
  param: Placeholder,
  model: DataModel,
  entityType: EntityType,
  importId: string | undefined,
): string[] =>
  creationSteps(param, model, entityType, {
    importId,
    ids: () => 'array_agg(id) from inserted having count(*) > 0',
  })

/** Of an update whose parameters `id` and `updated_at` name the entity and the time. No effect unless the step `written` has a row. */
export const importedUpdateSteps = (
  param: Placeholder,
  { schema }: DataModel,
  { number }: EntityType,
  importId: string | undefined,
): string[] =>
  importId === undefined
    ? []
    : [
        `import_update as (insert into ${schema}.import_updates (import_id, record_id, written_at, object, previous)
          select ${typedParam(param, 'import_id', 'uuid')}, ${typedParam(param, 'id', 'uuid')}, ${typedParam(param, 'updated_at', 'timestamptz')}, ${number},
            ${typedParam(param, 'previous', 'jsonb')}
          from written on conflict do nothing)`,
      ]

export const importTexts = (importId: string | undefined): ParameterTexts =>
  importId === undefined ? {} : { import_id: importId }

/** The values of attributes without a history before an update, by the numbers of the attributes. */
export type PreviousValues = Readonly<Record<string, readonly Stored[]>>

export function previousValues(changes: readonly AttributeChange[]): PreviousValues | null {
  const unrecorded = changes.filter((change) => !change.attribute.has_history && isChanged(change))
  if (unrecorded.length === 0) return null
  return Object.fromEntries(unrecorded.map(({ attribute, before }) => [attribute.number, storedIn(before)]))
}

export const importedUpdateTexts = (
  importId: string | undefined,
  previous: PreviousValues | null | undefined,
): ParameterTexts => (importId === undefined ? {} : { ...importTexts(importId), previous: statementText(previous) })

/** For a write of several steps, whose own row may stay as it is. */
export async function storeImportedUpdate(
  tx: Transaction,
  { model, importId }: { readonly model: DataModel; readonly importId?: string | undefined },
  { number }: EntityType,
  { id, writtenAt }: { readonly id: string; readonly writtenAt: Micros },
): Promise<void> {
  if (importId === undefined) return
  const statement = `
    insert into ${model.schema}.import_updates (import_id, record_id, written_at, object) values ($1, $2, $3, $4)
    on conflict do nothing`
  await tx.unsafe(statement, [importId, id, timestampFromMicros(writtenAt), number], prepareOptions(statement))
}
