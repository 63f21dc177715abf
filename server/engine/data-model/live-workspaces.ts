/**
 * Deleted workspaces are not in `relata.workspaces`, a view of `relata.all_workspaces`. A statement that finds a workspace by another
 * key, such as a token or what is due, adds this condition. See docs/decisions/workspace-deletion.md.
 */

import { type RawBuilder, sql } from 'kysely'

/** Whether the workspace of a row is not deleted. `column` has the workspace's id. */
export const ofLiveWorkspace = (column: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from relata.workspaces live where live.id = ${sql.ref(column)})`
