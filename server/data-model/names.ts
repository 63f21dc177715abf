/** What a workspace's schema and tables are called: by number, because slugs change. */

import type { Owner } from './model'

export const workspaceSchema = (number: number): string => `w_${number}`

/** The table of an owner's holders. */
export const holderTable = ({ kind, number }: Pick<Owner, 'kind' | 'number'>): string =>
  `${kind === 'object' ? 'o' : 'l'}_${number}`

/** The same, qualified and quoted for SQL. */
export const qualifiedTable = (workspaceNumber: number, owner: Pick<Owner, 'kind' | 'number'>): string =>
  `"${workspaceSchema(workspaceNumber)}"."${holderTable(owner)}"`
