/** The undo of an import: what it would do, and the job that does it. See docs/decisions/import-runs-and-undo.md. */
import { getMemberModel } from '#api/console/console-context'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { insertJob } from '#api/jobs/store'
import { importNotRun, importRunning, importUndone, undoExpired, undoNeedsTrash } from '#base/errors/imports'
import { newId } from '#base/ids'
import { microsFromPostgres } from '#base/timing/clock'
import type { AppContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { countImported, type WrittenByImport } from '#engine/storage/imports/imported-records'
import { scopesOfRole } from '#vocabulary/roles'
import { showImport } from './operations'
import type { ImportDetail, UndoPreview } from './schemas'
import { beginUndo, getImport, type ImportRow, undoableUntil } from './store'

interface UndoableImport {
  readonly written: WrittenByImport
  readonly model: DataModel
  readonly object: ObjectType
}

/** Throws 404, 403 without the right to delete records, and 409 when the import runs or cannot be undone any more. */
export async function previewUndo(appContext: AppContext, member: ConsoleMember, id: string): Promise<UndoPreview> {
  const { written, model, object } = await loadUndoable(appContext, member, id)
  return countImported(appContext.db.sql, model, object, written)
}

/** Creates the job. Throws as `previewUndo` does, and 409 when the import is being undone or was undone. */
export async function undoImport(appContext: AppContext, member: ConsoleMember, id: string): Promise<ImportDetail> {
  const { db, now } = appContext
  const { written, model, object } = await loadUndoable(appContext, member, id)
  const { created, updated } = await countImported(db.sql, model, object, written)
  const { workspaceId, memberId, actor } = member
  const job = {
    workspaceId,
    id: newId(),
    entityTypeId: object.id,
    kind: object.kind,
    caller: { actor, memberId, clientId: undefined, scopes: scopesOfRole(member) },
    filter: {},
    operation: { op: 'undo_import', import_id: written.importId, started_at: written.startedAt },
    createdAt: now(),
  } as const
  await db.sql.begin(async (tx) => {
    if (!(await beginUndo(tx, { workspaceId, id: written.importId }, job.id))) throw importUndone(id)
    await insertJob(tx, job, created + updated)
  })
  appContext.workers?.wake('jobs')
  return showImport(appContext, member, id)
}

async function loadUndoable(appContext: AppContext, member: ConsoleMember, id: string): Promise<UndoableImport> {
  const { db, now, settings } = appContext
  const row = await getImport(db.sql, member, id)
  const model = await getMemberModel(appContext, member)
  const object = getWritableObject(model, row.object_id)
  const startedAt = requireRun(row)
  const until = undoableUntil(row, settings)
  if (until === undefined) throw undoNeedsTrash()
  if (until <= now()) throw undoExpired(settings.trashDays)
  return { written: { importId: row.id, startedAt }, model, object }
}

/** Returns when the import began. */
function requireRun({ id, state, started_at }: ImportRow): number {
  if (state === 'waiting' || state === 'running') throw importRunning(id)
  if (started_at === null) throw importNotRun(id)
  return microsFromPostgres(started_at)
}
