/** The operations on an import: show, preview, start, cancel, remove. */

import { findObject, getObject } from '#engine/data-model/find'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { importNotFound, importNotReady, importProblem, importRunning } from '#base/errors/imports'
import { objectNotFound } from '#base/errors/objects'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { ImportError } from '#transfer/import/import-error'
import { getMemberModel } from '#api/console/member-model'
import type { AppContext } from '#context'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { deleteWithUndo } from './delete-imports'
import { refuseMissing } from './refuse-missing'
import { previewRows } from './preview'
import type { ImportDetail, ImportOutput, PlanBody, PreviewOutput } from './schemas'
import { renderDetail, renderImport } from './render'
import { cancelImport as cancelStoredImport, getImport, type ImportRow, listImports, queueImport } from './store'
import { openStoredFile } from './stored-file'
import { loadUndoStates } from './undo/undo-states'

export async function showImports(
  appContext: AppContext,
  member: ConsoleMember,
  slug: string,
): Promise<ImportOutput[]> {
  const object = getObject(await getMemberModel(appContext, member), slug)
  const rows = await listImports(appContext.db.sql, member, object.id)
  const undoOf = await loadUndoStates(appContext, member, rows)
  return rows.map((row) => renderImport(row, undoOf(row)))
}

export async function showImport(appContext: AppContext, member: ConsoleMember, id: string): Promise<ImportDetail> {
  const row = await getImport(appContext.db.sql, member, id)
  const { model, object } = await loadObject(appContext, member, row.object_id)
  const undoOf = await loadUndoStates(appContext, member, [row])
  return renderDetail(row, undoOf(row), model, object)
}

/** Throws 400 for an invalid plan. */
export const showPreview = async (
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  plan: PlanBody,
): Promise<PreviewOutput> => (await checkPlan(appContext, member, id, plan)).preview

async function checkPlan(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  plan: PlanBody,
): Promise<Awaited<ReturnType<typeof previewRows>>> {
  const { db, now } = appContext
  const row = await getImport(db.sql, member, id)
  if (row.state !== 'ready' || row.delimiter === null) throw importNotReady(id)
  const { model, object } = await loadObject(appContext, member, row.object_id)
  const reloadModel = () => getMemberModel(appContext, member)
  const scopes = new Set(READ_WRITE_SCOPES)
  const context = { model, reloadModel, actor: member.actor, scopes, db, now }
  const file = openStoredFile(db.sql, { workspaceId: member.workspaceId, id: row.id }, row.delimiter)
  try {
    return await previewRows({ importContext: { context: () => context }, object, file }, plan)
  } catch (error) {
    throw error instanceof ImportError ? importProblem(error.message) : error
  }
}

/** Queues the import, which any process may run. Throws 400 for an invalid plan. */
export async function startImport(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  plan: PlanBody,
): Promise<ImportDetail> {
  const { missing } = await checkPlan(appContext, member, id, plan)
  const { created_by } = await getImport(appContext.db.sql, member, id)
  refuseMissing(await getMemberModel(appContext, member), created_by, missing)
  const key = { workspaceId: member.workspaceId, id }
  if (!(await queueImport(appContext.db.sql, key, plan))) throw importNotReady(id)
  appContext.imports?.wake()
  return showImport(appContext, member, id)
}

/** A running import ends after its current batch. Throws 404 for an import that the member may not see. */
export async function cancelImport(appContext: AppContext, member: ConsoleMember, id: string): Promise<ImportDetail> {
  const { id: found } = await getVisibleImport(appContext, member, id)
  await cancelStoredImport(appContext.db.sql, { workspaceId: member.workspaceId, id: found }, appContext.now())
  return showImport(appContext, member, found)
}

/** Deletes the import and its file. Throws 404 for an import that the member may not see, and 409 while it runs. */
export async function removeImport(appContext: AppContext, member: ConsoleMember, id: string): Promise<object> {
  const { id: found } = await getVisibleImport(appContext, member, id)
  if (!(await deleteWithUndo(appContext.db, { workspaceId: member.workspaceId, id: found }))) throw importRunning(id)
  return {}
}

/** Throws 404 also when the object of the import is hidden from the member. */
async function getVisibleImport(appContext: AppContext, member: ConsoleMember, id: string): Promise<ImportRow> {
  const row = await getImport(appContext.db.sql, member, id)
  if (isHiddenObjectId(await getMemberModel(appContext, member), row.object_id)) throw importNotFound(id)
  return row
}

async function loadObject(
  appContext: AppContext,
  member: ConsoleMember,
  objectId: string,
): Promise<{ model: DataModel; object: ObjectType }> {
  const model = await getMemberModel(appContext, member)
  const object = findObject(model, objectId)
  if (object === undefined) throw objectNotFound(objectId)
  return { model, object }
}
