/** The records that a member follows, whose changes the home page shows. Only the member sees them. See docs/reference/records.md (Following). */

import { Elysia } from 'elysia'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { Nothing } from '#api/console/schemas'
import { tooManyFollowedRecords } from '#base/errors/queries'
import { recordNotFound } from '#base/errors/records'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { AppContext } from '#context'
import { enabledObjects, getObject } from '#engine/data-model/find'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { lockAgainstDeletion } from '#engine/storage/read-entities'
import { isUuid } from '#vocabulary/uuids'
import { type FollowedRecord, FollowedRecordsAnswer, FollowedRecordsQuery } from './schemas'

const FOLLOWED = '/console/api/workspaces/:workspace_id/followed-records'
const ONE = `${FOLLOWED}/:object/:record_id` as const

export const followedRecordRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-followed-records' })
    .get(
      ...guard.member(
        FOLLOWED,
        { response: FollowedRecordsAnswer, query: FollowedRecordsQuery },
        async ({ member, query }) => ({ data: await listFollowed(appContext, member, query) }),
      ),
    )
    .put(
      ...guard.member(ONE, { response: Nothing }, async ({ member, params }) => {
        await followRecord(appContext, member, params)
        return {}
      }),
    )
    .delete(
      ...guard.member(ONE, { response: Nothing }, async ({ member, params }) => {
        await unfollowRecord(appContext, member, params)
        return {}
      }),
    )

/** The home page reads all of them. */
const MAX_FOLLOWED = 500

interface RecordPath {
  readonly object: string
  readonly record_id: string
}

/** The last followed first, without those of objects that the member may not see any more. */
async function listFollowed(
  appContext: AppContext,
  member: ConsoleMember,
  { record_id }: FollowedRecordsQuery,
): Promise<FollowedRecord[]> {
  const model = await getMemberModel(appContext, member)
  const objects = new Map(enabledObjects(model).map((object) => [object.id, object]))
  const rows = await controlQueriesIn(appContext.db.sql)
    .selectFrom('relata.record_followers')
    .select(['object_id', 'record_id', 'followed_at'])
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId }))
    .$if(record_id !== undefined, (one) => one.where('record_id', '=', record_id?.toLowerCase() ?? ''))
    .orderBy('followed_at', 'desc')
    .orderBy('record_id')
    .limit(MAX_FOLLOWED)
    .execute()
  return rows.flatMap((row) => {
    const object = objects.get(row.object_id)
    if (object === undefined) return []
    return { ...row, object_slug: object.api_slug, followed_at: timestampFromPostgres(row.followed_at) }
  })
}

/** A followed record stays so. Throws 404 for a record that the member may not see, and 400 for too many. */
async function followRecord(
  appContext: AppContext,
  member: ConsoleMember,
  { object: slugOrId, record_id }: RecordPath,
): Promise<void> {
  const object = getObject(await getMemberModel(appContext, member), slugOrId)
  const recordId = record_id.toLowerCase()
  if (!isUuid(recordId)) throw recordNotFound(record_id)
  const key = { workspace_id: member.workspaceId, member_id: member.memberId }
  await appContext.db.sql.begin(async (tx) => {
    if (!(await lockAgainstDeletion(tx, object, recordId))) throw recordNotFound(recordId)
    const control = controlQueriesIn(tx)
    const { count } = await control
      .selectFrom('relata.record_followers')
      .select(({ fn }) => fn.countAll().as('count'))
      .where(equal(key))
      .where('record_id', '<>', recordId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_FOLLOWED) throw tooManyFollowedRecords(MAX_FOLLOWED)
    await control
      .insertInto('relata.record_followers')
      .values({
        ...key,
        object_id: object.id,
        record_id: recordId,
        followed_at: timestampFromMicros(appContext.now()),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}

/** A record that the member does not follow stays so. */
async function unfollowRecord({ db }: AppContext, member: ConsoleMember, { record_id }: RecordPath): Promise<void> {
  if (!isUuid(record_id)) return
  await controlQueriesIn(db.sql)
    .deleteFrom('relata.record_followers')
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId, record_id: record_id.toLowerCase() }))
    .execute()
}
