/** Shows the record that a merge would make: merges in a transaction that is rolled back. See docs/reference/records.md (Merge). */

import { Elysia } from 'elysia'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { runAndRollBack } from '#db/run-in-transaction'
import type { AppContext, RequestContext } from '#context'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { getWritableObject } from '#engine/data-model/find'
import { mergeEntities } from '#engine/entities/merge/merge-entities'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { selfMerge } from '#base/errors/records'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { JsonText } from '#api/http/response/answer'
import { renderRecord } from '#api/resources/records/resource'
import { scopesOfRole } from '#vocabulary/roles'
import { findRow } from '#engine/storage/read-entities'
import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'
import { RecordOutput } from '#api/resources/records/schemas'

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
