/** The operations on an import: show, preview, start, cancel, remove. */

import { controlQueriesIn, readInBatches, equal } from '#engine/data-model/kysely-in-transaction'
import { findObject, getObject, isRecordId } from '#engine/data-model/find'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import type { DataModel, ObjectType, Attribute } from '#engine/data-model/model'
import { importNotFound, importNotReady, importProblem, importRunning } from '#base/errors/imports'
import { objectNotFound } from '#base/errors/attributes'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { ImportError, type Binding } from '#transfer/import/import-context'
import { getMemberModel } from '#api/console/console-context'
import type { AppContext } from '#context'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { refuseMissing, countryOf, identificationOf, mappingOf } from './plan'
import type { ImportDetail, ImportOutput, PlanBody, PreviewOutput, PreviewAttribute, PreviewRow } from './schemas'
import { renderDetail, renderImport, type UndoState } from './render'
import {
  cancelImportRow as cancelStoredImport,
  deleteImport,
  findOldImports,
  getImport,
  type ImportKey,
  type ImportRow,
  listImports,
  queueImport,
  undoableUntil,
} from './store'
import { openStoredFile } from './upload'
import { findJobRows, renderJob } from '#api/jobs/store'
import type { Database, Sql } from '#db/connect'
import { loadDataModel } from '#engine/data-model/load'
import { deleteWrittenBy } from '#engine/storage/imports/imported-records'
import type { Micros } from '#base/timing/clock'
import { csvDownload } from '#api/http/response/export-stream'
import { PROBLEM_COLUMNS, type RowProblem } from '#transfer/import/row-outcomes'
import { attributeType } from '#engine/attribute-types/registry'
import { compileRow, type ConvertedRow } from '#transfer/import/convert/compile-row'
import { type CsvFile, readCsv } from '#transfer/import/csv/csv'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import type { BackgroundContext } from '#engine/entities/write/background-context'
import { bindColumns } from '#transfer/import/mapping/bind-columns'
import { checkMapping, type MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { createTargetLookup, findMatches } from '#transfer/import/match/target-lookup'
import { type IdentifiedRow, identify } from '#transfer/import/match/identify'
import { ambiguousMatchReason, malformedReason, unmatchedReason } from '#transfer/import/policies'
import { requiredAttributes } from '#transfer/import/write/write-records'
import { renderAttribute } from '#api/resources/attributes/render'

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
  appContext.workers?.wake('imports')
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

/** Returns what `renderImport` needs of each of these imports. */
async function loadUndoStates(
  { db, settings }: AppContext,
  { workspaceId }: ConsoleMember,
  rows: readonly ImportRow[],
): Promise<(row: ImportRow) => UndoState> {
  const ids = rows.flatMap(({ undo_job_id }) => undo_job_id ?? [])
  const jobs = await findJobRows(db.sql, workspaceId, ids)
  return (row) => {
    const job = jobs.get(row.undo_job_id ?? '')
    return { until: undoableUntil(row, settings), job: job && renderJob(workspaceId, job) }
  }
}

/** Deletes imports with their files, their problems, and what the workspace stores of them for their undo. */
const DAY = 24 * 3600 * 1_000_000
const UNSTARTED_DAYS = 1
/** Longer than an undo is possible by default, so that the console says that it is no longer possible. */
const ENDED_DAYS = 60
const DELETED_AT_ONCE = 100

/** Returns false while the import waits or runs. */
async function deleteWithUndo(db: Database, key: ImportKey): Promise<boolean> {
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

/** Exports the problems of an import as a CSV file: docs/import.md. */
const PAGE_ROWS = 500

export const exportProblems = (sql: Sql, key: ImportKey, fileName: string): Response =>
  csvDownload({
    fileName: `${fileName}.errors.csv`,
    columns: PROBLEM_COLUMNS,
    pages: readProblems(sql, key),
    valueOf: (problem, column) => problem[column],
  })

/** Sorted by line, since an import does not report problems in the order of the file. */
const readProblems = (sql: Sql, { workspaceId, id }: ImportKey): AsyncIterable<RowProblem[]> =>
  readInBatches(
    sql,
    controlQueriesIn(sql)
      .selectFrom('relata.import_problems')
      .select(['line', 'outcome', 'column_name as column', 'value', 'reason'])
      .where(equal({ workspace_id: workspaceId, import_id: id }))
      .orderBy('line')
      .orderBy('number')
      .$castTo<RowProblem>(),
    PAGE_ROWS,
  )

// Shows what the first rows of a file would become. Writes nothing.

const SHOWN_ROWS = 20

interface PreviewSource {
  readonly importContext: BackgroundContext
  readonly object: ObjectType
  readonly file: CsvFile
}

/** Throws `ImportError` for an invalid plan. */
async function previewRows(
  { importContext, object, file }: PreviewSource,
  plan: PlanBody,
): Promise<{ readonly preview: PreviewOutput; readonly missing: MissingDefinitions }> {
  const { model, db } = importContext.context()
  const identification = identificationOf(model, object, plan)
  const country = countryOf(plan)
  const { header, rows } = await readBeginning(file)
  // Only these rows are searched for new options, since reading a large file takes too long.
  const checked = await checkMapping(model, object.id, { header, rows: oneChunk(rows) }, mappingOf(plan))
  const { plannedModel, missing } = checked
  const plannedObject = getObject(plannedModel, object.id)
  const bindings = bindColumns(plannedModel, plannedObject, header, mappingOf(plan).columns)
  const lookup = createTargetLookup(db.sql, plannedModel)
  const convert = compileRow({ model: plannedModel, object: plannedObject, bindings, country, lookup })
  const identified = (await Promise.all(rows.map(convert))).map((row) => identify(identification, row))
  const matches = await findMatches({ importContext, objectId: object.id, identification }, identified)
  const required = requiredAttributes(plannedModel, object)
  const reasonToSkip = (row: IdentifiedRow, cells: readonly string[], count: number) =>
    malformedReason(cells, header.length) ??
    (count > 1 ? ambiguousMatchReason(identification, row, count) : undefined) ??
    (count === 0 ? unmatchedReason(identification, row, required) : undefined)
  const existing = new Set(object.attributes.map(({ id }) => id))
  const preview = {
    attributes: bindings
      .filter(({ attribute }) => !isRecordId(attribute))
      .map((binding) => renderBinding(plannedModel, binding, existing)),
    rows: identified.map((row, index) => {
      const count = matches[index]?.length ?? 0
      return renderRow(plannedModel, row.row, count, reasonToSkip(row, rows[index]?.cells ?? [], count))
    }),
    options: Object.fromEntries(missing.options),
  }
  return { preview, missing }
}

async function readBeginning(file: CsvFile): Promise<{ header: string[]; rows: CsvRow[] }> {
  let header: string[] | undefined
  const rows: CsvRow[] = []
  for await (const row of readCsv(file)) {
    if (header === undefined) header = row.cells.map((cell) => cell.trim())
    else if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row)
    if (rows.length >= SHOWN_ROWS) break
  }
  return { header: header ?? [], rows }
}

async function* oneChunk(rows: readonly CsvRow[]): AsyncGenerator<readonly CsvRow[]> {
  yield rows
}

const renderBinding = (
  model: DataModel,
  { attribute, columns }: Binding,
  existing: ReadonlySet<string>,
): PreviewAttribute => ({
  attribute: renderAttribute(model, attribute),
  column: columns.map(({ name }) => name).join(', '),
  is_new: !existing.has(attribute.id),
})

const renderRow = (
  model: DataModel,
  { line, assignments, problems }: ConvertedRow,
  matches: number,
  reasonToSkip: string | undefined,
): PreviewRow => ({
  line,
  values: Object.fromEntries(
    assignments.map(({ attribute, values }) => [
      attribute.api_slug,
      values.map((stored) => renderValue(attribute, model, stored)),
    ]),
  ),
  problems,
  known: matches === 0 ? 'new' : matches === 1 ? 'known' : 'several',
  skipped: reasonToSkip ?? null,
})

/** The form of the API, with null for the members that a value only has once it is written. */
function renderValue(attribute: Attribute, model: DataModel, stored: ConvertedRow['assignments'][number]['values'][0]) {
  const members = attributeType(attribute.type).render(attribute, model)(stored)
  return {
    active_from: null,
    active_until: null,
    created_by_actor: { type: null, id: null },
    ...(JSON.parse(`{${members}}`) as Record<string, unknown>),
    attribute_type: attribute.type,
  }
}
