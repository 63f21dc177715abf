/** Deletes imports with their files, their problems, and what the workspace stores of them for their undo. */

import type { Database } from '#db/connect'
import { loadDataModel } from '#engine/data-model/load'
import { deleteWrittenBy } from '#engine/storage/imports/import-updates'
import type { Micros } from '#base/timing/clock'
import { deleteImport, findOldImports, type ImportKey } from './store'

const DAY = 24 * 3600 * 1_000_000
const UNSTARTED_DAYS = 1
/** Longer than an undo is possible by default, so that the console says that it is no longer possible. */
const ENDED_DAYS = 60
const DELETED_AT_ONCE = 100

/** Returns false while the import waits or runs. */
export async function deleteWithUndo(db: Database, key: ImportKey): Promise<boolean> {
  if (!(await deleteImport(db.sql, key))) return false
  const { schema } = await loadDataModel(db, key.workspaceId)
  await deleteWrittenBy(db.sql, schema, [key.id])
  return true
}

/** Deletes uploaded files that were never started, and imports that ended long ago. */
export async function deleteExpiredImports(db: Database, now: Micros): Promise<void> {
  const before = { unstarted: now - UNSTARTED_DAYS * DAY, ended: now - ENDED_DAYS * DAY }
  for (;;) {
    const old = await findOldImports(db.sql, before, DELETED_AT_ONCE)
    for (const [workspaceId, imports] of Map.groupBy(old, (one) => one.workspaceId)) {
      const { schema } = await loadDataModel(db, workspaceId)
      await deleteWrittenBy(
        db.sql,
        schema,
        imports.map(({ id }) => id),
      )
      for (const key of imports) await deleteImport(db.sql, key)
    }
    if (old.length < DELETED_AT_ONCE) return
  }
}
