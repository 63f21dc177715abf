/** Deletes attributes and entity types: their rows, columns, tables, history and unique values. */

import { sql } from 'kysely'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { sendCommands } from '#db/citus'
import { renderArray } from '#db/connect'
import type { ModelChange } from '#engine/data-model/change-model'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { dropFunctions } from '#engine/formulas/formula-sql'
import { dropColumns, dropTable } from '#engine/data-model/tables'
import { deleteImportsInto } from '#engine/storage/imports/imported-records'
import { deleteRowsOf } from '#engine/storage/statements/attribute-statements'
import { attributeColumns } from './build-attribute'

/** Does not delete the other side of a relationship, so the caller names both sides. */
export async function dropAttributes(step: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  if (attributes.length === 0) return
  await deleteRowsOf(step.tx, step.model, 'history', attributes)
  await deleteRowsOf(step.tx, step.model, 'uniques', attributes)
  await step.control
    .deleteFrom('relata.attributes')
    .where('workspace_id', '=', step.model.workspace.id)
    .where(
      'id',
      'in',
      attributes.map(({ id }) => id),
    )
    .execute()
  await deleteIndexesOver(step, attributes)
  for (const attribute of attributes) {
    const entityType = entityTypeOf(step.model, attribute)
    await sendCommands(step.tx, dropColumns(entityType.table, attributeColumns(entityType, attribute).columns))
  }
}

/** PostgreSQL drops an index over several columns with each of them. */
async function deleteIndexesOver({ control, model }: ModelChange, attributes: readonly Attribute[]): Promise<void> {
  await control
    .deleteFrom('relata.indexes')
    .where('workspace_id', '=', model.workspace.id)
    .where('attribute_ids', '&&', sql<string[]>`${renderArray(attributes.map(({ id }) => id))}::uuid[]`)
    .execute()
}

/**
 * Deletes an entity type with its attributes, and the entries of a list. The caller must have removed the records of an object and
 * references to it before.
 */
export async function dropEntityType(step: ModelChange, entityType: EntityType): Promise<void> {
  const { tx, control, model } = step
  await deleteRowsOf(tx, model, 'history', entityType.attributes)
  await deleteRowsOf(tx, model, 'uniques', entityType.attributes)
  await deleteImportsInto(tx, model, entityType)
  await control
    .deleteFrom('relata.entity_types')
    .where(equal({ workspace_id: model.workspace.id, id: entityType.id }))
    .execute()
  await tx.unsafe(dropTable(entityType.table))
  await sendCommands(tx, dropFunctions(model, entityType))
}
