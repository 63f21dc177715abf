/**
 * Suggested duplicates that a member dismissed. The console finds the suggestions with queries of the API.
 * See docs/decisions/0134-duplicates-on-demand.md.
 */

import { runOnLookupPool } from '#db/lookup-pool'
import type { AppContext } from '#context'
import { getObject, requireWritable } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { recordNotFound, unknownRecord } from '#base/errors/records'
import { invalidBody } from '#base/errors/http'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { findRow } from '#engine/storage/read-entities'
import { getMemberModel } from '#api/console/member-model'
import type { Dismissal, DismissalsQuery } from './schemas'
import { deleteDismissal, insertDismissal, listDismissed, type Pair } from './store'

/** More dismissals of one record are rare. */
const MAX_LISTED = 500

/** Throws 404 for an object or a record that the member may not see. */
export async function showDismissals(
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
export async function dismiss(appContext: AppContext, member: ConsoleMember, body: Dismissal): Promise<object> {
  const pair = await readPair(appContext, member, body)
  await insertDismissal(appContext.db, pair, { actor: member.actor, now: appContext.now })
  return {}
}

/** Does nothing for a pair that is not dismissed. Throws 400 and 404 as `dismiss`. */
export async function withdrawDismissal(
  appContext: AppContext,
  member: ConsoleMember,
  query: Dismissal,
): Promise<object> {
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
