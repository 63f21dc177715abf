/** Runs the repairs in one transaction that locks the data model. */

import type { Database } from '#db/connect'
import { sendCommands } from '#db/citus'
import { changeWorkspaceModel } from '#engine/data-model/change-model'

export const repair = (db: Database, workspaceId: string, commands: readonly string[]): Promise<void> =>
  changeWorkspaceModel(db, workspaceId, ({ tx }) => sendCommands(tx, commands))
