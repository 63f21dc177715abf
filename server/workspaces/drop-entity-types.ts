/** Deletes attributes and entity types: their rows, columns, tables, history and unique values. */

import type { ModelChange } from '../data-model/change-model'
import { entityTypeOf } from '../data-model/find'
import type { Attribute, EntityType } from '../data-model/model'
import { dropColumns, dropTable } from '../data-model/tables'
import { attributeColumns } from './attribute-columns'

/** Does not delete the other side of a relationship, so the caller names both sides. */
export async function dropAttributes(step: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  if (attributes.length === 0) return
  await deleteHistory(step, attributes)
  await deleteUniqueKeys(step, attributes)
  await step.control
    .deleteFrom('relata.attributes')
    .where('workspace_id', '=', step.model.workspace.id)
    .where(
      'id',
      'in',
      attributes.map(({ id }) => id),
    )
    .execute()
  for (const attribute of attributes) {
    const entityType = entityTypeOf(step.model, attribute)
    const statement = dropColumns(entityType.table, attributeColumns(entityType, attribute).columns)
    if (statement !== '') await step.tx.unsafe(statement)
  }
}

/** Deletes an entity type with its entities and attributes. The caller must have removed references to it before. */
export async function dropEntityType(step: ModelChange, entityType: EntityType): Promise<void> {
  const { tx, control, model } = step
  await deleteHistory(step, entityType.attributes)
  await deleteUniqueKeys(step, entityType.attributes)
  await tx.unsafe(`delete from ${model.schema}.merges where new_id in (select id from ${entityType.table})`)
  await control
    .deleteFrom('relata.entity_types')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', entityType.id)
    .execute()
  await tx.unsafe(dropTable(entityType.table))
}

/** Deletes the unique values of attributes. */
export async function deleteUniqueKeys({ tx, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.uniques where attribute = any($1::int[])`, [numbersOf(attributes)])
}

/** Deletes the ended values of attributes. */
async function deleteHistory({ tx, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await tx.unsafe(`delete from ${model.schema}.history where attribute = any($1::int[])`, [numbersOf(attributes)])
}

const numbersOf = (attributes: readonly Attribute[]): string => `{${attributes.map(({ number }) => number).join(',')}}`
