import { Elysia } from 'elysia'
import { type Static, Type } from 'typebox'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { Dismissal, DismissalsAnswer, DismissalsQuery } from './schemas'
import { answerOf, Nothing } from '#api/console/schemas'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { JsonText } from '#api/http/response/answer'
import { renderRecord } from '#api/resources/records/resource'
import { RecordOutput } from '#api/resources/records/schemas'
import { invalidBody } from '#base/errors/http'
import { recordNotFound, selfMerge, unknownRecord } from '#base/errors/records'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { AppContext, RequestContext } from '#context'
import { type Database, runOnLookupPool } from '#db/connect'
import { runAndRollBack } from '#db/run-in-transaction'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { getObject, getWritableObject, requireWritable } from '#engine/data-model/find'
import { equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { mergeEntities } from '#engine/entities/merge/merge-entities'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { findRow } from '#engine/storage/read-entities'
import { scopesOfRole } from '#vocabulary/roles'

const DISMISSALS = '/console/api/workspaces/:workspace_id/dismissed-duplicates'

export const dismissedDuplicateRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-dismissed-duplicates' })
    .get(
      ...guard.member(DISMISSALS, { response: DismissalsAnswer, query: DismissalsQuery }, ({ member, query }) =>
        showDismissals(appContext, member, query),
      ),
    )
    .post(
      ...guard.member(DISMISSALS, { response: Nothing, body: Dismissal }, ({ member, body }) =>
        dismiss(appContext, member, body),
      ),
    )
    .delete(
      ...guard.member(DISMISSALS, { response: Nothing, query: Dismissal }, ({ member, query }) =>
        withdrawDismissal(appContext, member, query),
      ),
    )

// Suggested duplicates that a member dismissed. The console finds the suggestions with queries of the API.
// See docs/decisions/trash-and-merges.md.

/** More dismissals of one record are rare. */
const MAX_LISTED = 500

/** Throws 404 for an object or a record that the member may not see. */
async function showDismissals(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slug, record_id }: DismissalsQuery,
): Promise<{ data: string[] }> {
  const model = await getMemberModel(appContext, member)
  const recordId = record_id.toLowerCase()
  const object = getObject(model, slug)
  if (!(await exists(appContext, model, object, recordId))) throw recordNotFound(recordId)
  return { data: await listDismissed(appContext.db, { workspaceId: member.workspaceId, recordId }, MAX_LISTED) }
}

/** Throws 400 for a record that does not exist, and for a pair of one record. */
async function dismiss(appContext: AppContext, member: ConsoleMember, body: Dismissal): Promise<object> {
  const pair = await readPair(appContext, member, body)
  await insertDismissal(appContext.db, pair, { actor: member.actor, now: appContext.now })
  return {}
}

/** Does nothing for a pair that is not dismissed. Throws 400 and 404 as `dismiss`. */
async function withdrawDismissal(appContext: AppContext, member: ConsoleMember, query: Dismissal): Promise<object> {
  await deleteDismissal(appContext.db, await readPair(appContext, member, query))
  return {}
}

async function readPair(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slug, record_id, other_record_id }: Dismissal,
): Promise<Pair> {
  const model = await getMemberModel(appContext, member)
  const object = getObject(model, slug)
  requireWritable(object)
  const [recordId, otherRecordId] = [record_id.toLowerCase(), other_record_id.toLowerCase()]
  if (recordId === otherRecordId) throw sameRecord()
  for (const id of [recordId, otherRecordId])
    if (!(await exists(appContext, model, object, id))) throw unknownRecord(object.api_slug, id)
  return { workspaceId: member.workspaceId, recordId, otherRecordId }
}

const exists = async ({ db }: AppContext, model: DataModel, object: ObjectType, id: string): Promise<boolean> =>
  (await runOnLookupPool(db, (sql) => findRow(sql, model, object, id))) !== undefined

const sameRecord = () =>
  invalidBody([{ code: 'invalid', path: ['other_record_id'], message: 'Expected another record' }])

// The rows of dismissed duplicates. Each pair is stored once, the smaller id first.
interface Pair {
  readonly workspaceId: string
  readonly recordId: string
  readonly otherRecordId: string
}

const inOrder = ({ recordId, otherRecordId }: Pair): [string, string] =>
  recordId < otherRecordId ? [recordId, otherRecordId] : [otherRecordId, recordId]

/** The ids of the records that a record is no duplicate of, the latest first. */
async function listDismissed(
  { control }: Pick<Database, 'control'>,
  { workspaceId, recordId }: Omit<Pair, 'otherRecordId'>,
  limit: number,
): Promise<string[]> {
  const rows = await control
    .selectFrom('relata.dismissed_duplicates')
    .select(['record_id', 'other_record_id'])
    .where('workspace_id', '=', workspaceId)
    .where((where) => where.or([where('record_id', '=', recordId), where('other_record_id', '=', recordId)]))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ record_id, other_record_id }) => (record_id === recordId ? other_record_id : record_id))
}

async function insertDismissal(
  { control }: Pick<Database, 'control'>,
  pair: Pair,
  { actor, now }: { readonly actor: number; readonly now: Clock },
): Promise<void> {
  const [record_id, other_record_id] = inOrder(pair)
  await control
    .insertInto('relata.dismissed_duplicates')
    .values({
      workspace_id: pair.workspaceId,
      record_id,
      other_record_id,
      dismissed_by: actor,
      created_at: timestampFromMicros(now()),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function deleteDismissal({ control }: Pick<Database, 'control'>, pair: Pair): Promise<void> {
  const [record_id, other_record_id] = inOrder(pair)
  await control
    .deleteFrom('relata.dismissed_duplicates')
    .where(equal({ workspace_id: pair.workspaceId, record_id, other_record_id }))
    .execute()
}

/** The records of older dismissals may have been deleted or changed. */
const KEPT_MICROS = 365 * 86_400_000_000

/** Returns the number of deleted rows. */
export async function deleteOldDismissals({ control }: Database, now: Micros, limit: number): Promise<number> {
  const { numDeletedRows } = await control
    .deleteFrom('relata.dismissed_duplicates as d')
    .using((query) =>
      query
        .selectFrom('relata.dismissed_duplicates')
        .select(['workspace_id', 'record_id', 'other_record_id'])
        .where('created_at', '<', timestampFromMicros(now - KEPT_MICROS))
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('old'),
    )
    .whereRef('d.workspace_id', '=', 'old.workspace_id')
    .whereRef('d.record_id', '=', 'old.record_id')
    .whereRef('d.other_record_id', '=', 'old.other_record_id')
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Shows the record that a merge would make: merges in a transaction that is rolled back. See docs/reference/records.md (Merge). */
export const mergePreviewRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-merge-previews' }).post(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/merge-previews',
      { response: MergePreviewAnswer, body: MergePreviewBody },
      ({ member, body }) => previewMerge(appContext, member, body),
    ),
  )

/** Throws the errors of the merge. */
async function previewMerge(appContext: AppContext, member: ConsoleMember, body: MergePreviewBody): Promise<JsonText> {
  const { db, now, settings } = appContext
  const { actor, memberId } = member
  const model = await getMemberModel(appContext, member)
  const reloadModel = () => getMemberModel(appContext, member)
  const context: RequestContext = { model, reloadModel, actor, memberId, scopes: scopesOfRole(member), db, now }
  const record = await runAndRollBack(db, (within) =>
    retryOnConflict(contextInTransaction(context, within), (inside) => merged(inside, settings.appUrl, body)),
  )
  return new JsonText(`{"data":${record}}`)
}

async function merged(context: RequestContext, appUrl: string, body: MergePreviewBody): Promise<string> {
  const { model, db } = context
  const object = getWritableObject(model, body.object)
  const [primary, secondary] = [body.primary_record_id.toLowerCase(), body.secondary_record_id.toLowerCase()]
  if (primary === secondary) throw selfMerge()
  // The merge is rolled back, so nothing of the originals has to be kept in the trash.
  const mergedId = await mergeEntities(context, object, [primary, secondary], 0)
  const row = await findRow(db.sql, model, object, mergedId)
  if (row === undefined) throw new Error('A merge made no record.')
  return renderRecord({ model, appUrl }, object, row)
}

// The request of the preview of a merge.

const Uuid = Type.String({ format: 'uuid' })

const MergePreviewBody = Type.Object({
  /** Slug or id. */
  object: Type.String({ maxLength: 200 }),
  primary_record_id: Uuid,
  secondary_record_id: Uuid,
})
type MergePreviewBody = Static<typeof MergePreviewBody>

/** The record that the merge would make. */
const MergePreviewAnswer = answerOf(
  Type.Object({
    ...RecordOutput.properties,
    values: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  }),
)
