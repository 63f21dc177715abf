/** Names schemas and tables. The names contain numbers, because slugs change. */

import type { EntityType } from './model'

export const workspaceSchemaName = (number: number): string => `w_${number}`

/** The name of the table of an entity type's entities. */
export const entityTableName = ({ kind, number }: Pick<EntityType, 'kind' | 'number'>): string =>
  `${kind === 'object' ? 'o' : 'l'}_${number}`

/** The table's name, qualified and quoted for SQL. */
export const qualifiedTableName = (workspaceNumber: number, entityType: Pick<EntityType, 'kind' | 'number'>): string =>
  `"${workspaceSchemaName(workspaceNumber)}"."${entityTableName(entityType)}"`
