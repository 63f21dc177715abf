/**
 * Reads an exported workspace into a new or an empty one. Everything is inserted in one transaction, so that a workspace exists
 * whole or not at all. No change events are recorded, so that no webhook is sent. Decision 0129.
 */

import { sendCommands } from '#db/citus'
import type { Database, Transaction } from '#db/connect'
import { allowLongTransaction } from '#db/long-transaction'
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { picturePath } from '#access/members/pictures'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { BlobKey } from '#crm/blobs/store'
import { notifyModelChange } from '#engine/data-model/change-model'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel } from '#engine/data-model/model'
import { createIndex, createTable, WORKSPACE_TABLES } from '#engine/data-model/tables'
import { analyzeTables, continueHistorySequence } from '#engine/storage/dump/workspace-tables'
import type { Clock } from '#base/timing/clock'
import { expectedTables } from '#engine/workspaces/expected-tables'
import { CommandError } from '#run/cli/command'
import type { FileDefinition } from '#run/cli/transfer/files/define-file'
import { CONTENT_FILES, MODEL_FILES } from '#run/cli/transfer/files/registry'
import { attributes, lists, objects } from '#run/cli/transfer/files/model-files'
import { members } from '#run/cli/transfer/files/member-files'
import { webhooks } from '#run/cli/transfer/files/other-files'
import { entityFileNameOf, fileNameOf, type Manifest, MANIFEST, type WorkspaceEntry } from '#run/cli/transfer/format'
import type { Progress } from '#run/cli/transfer/progress'
import { accountsOfMembers } from './accounts'
import { checkAttribute, checkEntityType } from './check-model'
import { DamagedExport, messageOf } from './damaged-export'
import { insertLines } from './insert-batches'
import { insertBytes, removeBytes } from './insert-bytes'
import { entityInserter } from './insert-entities'
import { type CompleteRow, rowInserter } from './insert-rows'
import { restoreAccess } from './previous-access'
import { openTarget, type Target } from './target'

export interface ImportOptions {
  readonly db: Database
  readonly blobs: BlobStore
  readonly now: Clock
  readonly folder: string
  readonly manifest: Manifest
  /** The settings of the workspace: those of the manifest, with another slug or name. */
  readonly workspace: WorkspaceEntry
  readonly progress: Progress
}

/** Returns the id of the workspace. */
export async function importWorkspace(options: ImportOptions): Promise<string> {
  const { db } = options
  const model = await importInTransaction(options)
  await analyzeTables((statement) => db.sql.unsafe(statement), model)
  return model.workspace.id
}

async function importInTransaction(options: ImportOptions): Promise<DataModel> {
  const { db, blobs } = options
  const stored: BlobKey[] = []
  try {
    const imported = await db.sql.begin(async (tx) => {
      await allowLongTransaction(tx)
      const target = await openTarget(tx, options.workspace)
      const model = await insertEverything(tx, target, options)
      await insertBytes(options, blobs, target.workspaceId, stored)
      return { model }
    })
    return (imported as { model: DataModel }).model // the driver's type for the callback's result is wider
  } catch (error) {
    await removeBytes(db, blobs, stored)
    throw error
  }
}

async function insertEverything(tx: Transaction, target: Target, options: ImportOptions): Promise<DataModel> {
  const { workspaceId } = target
  const insert = (file: FileDefinition) =>
    insertLines(tx, options, fileNameOf(file.name), rowInserter(target, file, completions(tx, options).get(file)))
  for (const file of MODEL_FILES) await insert(file)
  await storePictures(tx, workspaceId)
  const last = Math.max(options.manifest.workspace.last_number, target.lastNumber)
  if (target.isExisting) await restoreAccess(tx, workspaceId, last)
  await storeLastNumber(tx, workspaceId, last)
  const model = await loadDataModel(tx, workspaceId)
  await insertEntities(tx, model, options)
  for (const file of CONTENT_FILES) await insert(file)
  await continueHistorySequence(tx, model)
  await checkConstraints(tx)
  await notifyModelChange(tx, workspaceId)
  const { slug, name } = options.workspace
  const subject = { type: 'workspace', id: workspaceId, name }
  await audit(tx, {
    ...COMMAND_LINE,
    workspaceId,
    action: 'workspace.imported',
    subject,
    details: { slug },
    now: options.now(),
  })
  return model
}

/** Checks the references that are only checked at the end of a transaction. */
async function checkConstraints(tx: Transaction): Promise<void> {
  try {
    await tx`set constraints all immediate`
  } catch (error) {
    throw new CommandError(`A line refers to a row that the export lacks: ${messageOf(error)}.`)
  }
}

/** What the import adds to the lines of some files, or checks besides the types. */
const completions = (tx: Transaction, { now }: ImportOptions): ReadonlyMap<FileDefinition, CompleteRow> =>
  new Map<FileDefinition, CompleteRow>([
    [members, accountsOfMembers(tx, now)],
    [objects, checkEntityType],
    [lists, checkEntityType],
    [attributes, checkAttribute],
    [webhooks, () => ({ secret: newWebhookSecret() })],
  ])

const newWebhookSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')

/** Indexes are built after the rows, which is faster than to insert into them. */
async function insertEntities(tx: Transaction, model: DataModel, options: ImportOptions): Promise<void> {
  const tables = expectedTables(model).filter((table) => !WORKSPACE_TABLES.includes(table))
  await sendCommands(
    tx,
    tables.flatMap((table) => createTable(model.schema, { ...table, indexes: [] })),
  )
  const names = new Set(options.manifest.files.map(({ name }) => name).filter((name) => name.includes('/')))
  for (const entityType of model.entityTypes) {
    const name = entityFileNameOf(entityType)
    if (!names.delete(name)) throw new DamagedExport(MANIFEST, `the file ${name} is not listed.`)
    await insertLines(tx, options, name, entityInserter(model, entityType))
  }
  for (const name of names) throw new DamagedExport(name, 'no object or list has this slug.')
  options.progress.begin('indexes')
  await sendCommands(
    tx,
    tables.flatMap(({ name, indexes }) => indexes.map((index) => createIndex(`${model.schema}."${name}"`, index))),
  )
}

/** The path of a picture contains the id of the workspace. */
async function storePictures(tx: Transaction, workspaceId: string): Promise<void> {
  const pictures = await tx<{ id: string; digest: Buffer }[]>`
    select workspace_member_id as id, blob_digest as digest from relata.member_pictures where workspace_id = ${workspaceId}`
  for (const { id, digest } of pictures) {
    const avatar_url = picturePath({ workspaceId, memberId: id }, digest)
    await tx`
      update relata.workspace_members set avatar_url = ${avatar_url} where workspace_id = ${workspaceId} and id = ${id}`
  }
}

/** New objects, attributes, options and actors get numbers that no row of the workspace has. */
async function storeLastNumber(tx: Transaction, workspaceId: string, least: number): Promise<void> {
  await tx`
    update relata.workspaces w set last_number = greatest(${least}::int,
      (select max(number) from relata.entity_types where workspace_id = w.id),
      (select max(number) from relata.attributes where workspace_id = w.id),
      (select max(number) from relata.options where workspace_id = w.id),
      (select max(number) from relata.actors where workspace_id = w.id))
    where id = ${workspaceId}`
}
