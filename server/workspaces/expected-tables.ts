/** What the tables of a workspace should look like, by its data model; what they do look like is compared with it. */

import type { DataModel } from '../data-model/model'
import { describeHolderTable, type Table, WORKSPACE_TABLES } from '../data-model/tables'
import { attributeColumns } from './attribute-columns'

/** Every table of the workspace's schema, with its columns in the order of a newly made one. */
export const expectedTables = (model: DataModel): Table[] => [
  ...WORKSPACE_TABLES,
  ...model.owners.map((owner) =>
    describeHolderTable(
      owner,
      owner.attributes.map((attribute) => attributeColumns(owner, attribute)),
    ),
  ),
]
