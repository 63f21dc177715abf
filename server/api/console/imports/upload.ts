/** Stores an uploaded file and proposes a target for each of its columns. */

import { getWritableObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { importProblem } from '#base/errors/imports'
import { standardObjectDisabled } from '#base/errors/objects'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { newId } from '#base/ids'
import { getMemberModel } from '#api/console/member-model'
import { hasPermission } from '#vocabulary/roles'
import { isBlank } from '#transfer/import/convert/readers/blank'
import { parseTarget, renderTarget, SKIP } from '#transfer/import/mapping/mapping'
import { completeMapping } from '#transfer/import/mapping/complete-mapping'
import { ImportError } from '#transfer/import/import-error'
import { sampleColumns } from '#transfer/import/csv/sample'
import type { AppContext } from '#context'
import type { ImportColumn, ImportDetail, UploadQuery } from './schemas'
import { renderDetail } from './render'
import { deleteImport, getImport, type ImportKey, insertImport, markUploaded } from './store'
import { delimiterOf, openStoredFile, storeFile } from './stored-file'

const MAX_EXAMPLES = 3
const MAX_EXAMPLE_CHARACTERS = 80

/** Throws 400 for a file that is not CSV and 413 for one that is too large, and stores neither. */
export async function uploadFile(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slug, file_name }: UploadQuery,
  body: ReadableStream<Uint8Array> | null,
): Promise<ImportDetail> {
  const { workspaceId, memberId } = member
  const { db, now, settings } = appContext
  const model = await getMemberModel(appContext, member)
  const object = getWritableObject(model, slug)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  const key = { workspaceId, id: newId() }
  await insertImport(db.sql, { ...key, objectId: object.id, createdBy: memberId, fileName: file_name, now: now() })
  try {
    const size = await storeFile(db.sql, key, body, settings.importLimit)
    const delimiter = await delimiterOf(db.sql, key)
    const proposed = await proposeTargets(db.sql, key, delimiter, model, object)
    const columns = hasPermission(member, 'import_definitions') ? proposed : proposed.map(withoutNewAttribute)
    await markUploaded(db.sql, key, { size, delimiter, columns })
  } catch (error) {
    await deleteImport(db.sql, key)
    throw error instanceof ImportError ? importProblem(error.message) : error
  }
  const row = await getImport(db.sql, member, key.id)
  return renderDetail(row, { until: undefined, job: undefined }, model, object)
}

/** Leaves out columns without a name. Throws `ImportError` when all are. */
async function proposeTargets(
  sql: AppContext['db']['sql'],
  key: ImportKey,
  delimiter: string,
  model: DataModel,
  object: ObjectType,
): Promise<ImportColumn[]> {
  const { columns } = await sampleColumns(openStoredFile(sql, key, delimiter))
  if (columns.every(({ name }) => name === '')) throw new ImportError('The first row of the file names no column.')
  const proposed = await completeMapping(model, object, columns, { mapping: undefined, pairs: new Map() })
  return columns
    .filter(({ name }) => name !== '')
    .map(({ name, sample }) => ({
      name,
      examples: examplesOf(sample),
      target: renderTarget(proposed.columns.get(name) ?? null),
    }))
}

/** For members who may not create attributes. */
const withoutNewAttribute = (column: ImportColumn): ImportColumn =>
  parseTarget(column.target)?.type === undefined ? column : { ...column, target: SKIP }

function examplesOf(sample: readonly string[]): string[] {
  const filled = new Set(sample.map((value) => value.trim()).filter((value) => !isBlank(value)))
  return [...filled].slice(0, MAX_EXAMPLES).map((value) => value.slice(0, MAX_EXAMPLE_CHARACTERS).toWellFormed())
}
