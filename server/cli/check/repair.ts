/** Runs the repairs in one transaction that locks the data model. */

import type { Database } from '../../../db/connect'
import { changeWorkspaceModel } from '../../data-model/change-model'

export const repair = (db: Database, workspaceId: string, statements: readonly string[]): Promise<void> =>
  changeWorkspaceModel(db, workspaceId, async ({ tx }) => {
    await tx.unsafe(statements.join('\n'))
  })
