/** Describes the tables that a workspace must have by its data model, for comparison with those that exist. */

import type { DataModel } from '#engine/data-model/model'
import { describeEntityTable, type Table, WORKSPACE_TABLES } from '#engine/data-model/tables'
import { attributeColumns } from './attribute-columns'

/** Every table of the workspace's schema, with the columns in the order of a new table. */
export const expectedTables = (model: DataModel): Table[] => [
  ...WORKSPACE_TABLES,
  ...model.entityTypes.map((entityType) =>
    describeEntityTable(
      entityType,
      entityType.attributes.map((attribute) => attributeColumns(entityType, attribute)),
    ),
  ),
]
