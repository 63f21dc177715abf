/** Names schemas and tables. The names contain numbers, because slugs change. */

import type { Owner } from './model'

export const workspaceSchema = (number: number): string => `w_${number}`

/** The name of the table of an entity type's entities. */
export const holderTable = ({ kind, number }: Pick<Owner, 'kind' | 'number'>): string =>
  `${kind === 'object' ? 'o' : 'l'}_${number}`

/** The table's name, qualified and quoted for SQL. */
export const qualifiedTable = (workspaceNumber: number, owner: Pick<Owner, 'kind' | 'number'>): string =>
  `"${workspaceSchema(workspaceNumber)}"."${holderTable(owner)}"`
