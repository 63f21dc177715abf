/**
 * Deletes the records of objects that had no change for as long as their retention rule says. Each rule runs once a day, in steps of a
 * page of records that one process reads at a time. See docs/decisions/retention.md.
 */
import { sql as expression } from 'kysely'
import { audit } from '#access/audit-log/audit'
import { erasureWith } from '#api/erasure/erase-records'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { pauseAfterStep } from '#base/timing/wait'
import type { AppContext, RequestContext } from '#context'
import type { Sql } from '#db/connect'
import { findAttachedSince } from '#engine/attachments/attachments'
import { findObject } from '#engine/data-model/find'
import { type DataModel, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { deleteRecordEntities } from '#engine/entities/write/delete-entity'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { leaseOf, queueWorker, released, renewed, type Taken, takeOne, updateLeased, type WorkRun } from '#engine/queue'
import { findUnchanged, readUnchanged, type UnchangedPage } from '#engine/storage/unchanged-records'
import { DAY, retentionQueue } from './rules'

/** How many records a step reads, and how many of those it deletes in one transaction. */
const READ_AT_ONCE = 10_000
export const DELETED_AT_ONCE = 100
const RETRY_AFTER: Micros = 600_000_000

type DueRule = Taken<'relata.retention_rules'>

interface RetentionContext extends Pick<AppContext, 'db' | 'now' | 'events'> {
  readonly settings: Pick<AppContext['settings'], 'trashDays'>
}

/** `pause` waits as long as a transaction took, so that the worker uses at most half of the time of a connection. */
export const retentionWorker = (pause = pauseAfterStep) =>
  queueWorker<RetentionContext>({
    name: 'retention',
    does: 'deletes records that had no change for long',
    queue: retentionQueue,
    everyMs: 60_000,
    take: takeOne(retentionQueue, (given, rule) => runStep({ ...given, pause }, rule)),
  })

interface Runner extends WorkRun<RetentionContext> {
  readonly pause: (ms: number) => Promise<void>
}

/** A step that fails is repeated later. Other rules that are due have their turn before the next step. */
async function runStep(runner: Runner, rule: DueRule): Promise<void> {
  const { db, now } = runner.context
  try {
    await deletePage(runner, rule)
  } catch (error) {
    runner.logFailure('A retention rule was interrupted.', error, { object_id: rule.object_id })
    await updateLeased(db.sql, retentionQueue, leaseOf(retentionQueue, rule), released(now() + RETRY_AFTER), 'days')
  }
}

async function deletePage({ context, stopping, pause }: Runner, rule: DueRule): Promise<void> {
  const { db, now, events } = context
  const background = await openBackgroundContext(db, rule.workspace_id, now, () => SYSTEM_ACTOR)
  const { model } = background.context()
  const object = findObject(model, rule.object_id)
  // The rule of a deleted object waits until the object is restored, and is deleted with it.
  if (object === undefined) {
    await updateLeased(db.sql, retentionQueue, leaseOf(retentionQueue, rule), released(now() + DAY), 'days')
    return
  }
  const at = now()
  const read = { days: rule.days, now: at, after: rule.position, limit: READ_AT_ONCE }
  const { ids, last } = await readExpired(db.sql, model, object, read)
  const deletion = { trashDays: trashDaysOf(context, rule), before: cutOffOf({ days: rule.days, now: at }) }
  let deleted = 0
  for (let start = 0; start < ids.length; start += DELETED_AT_ONCE) {
    if (stopping.aborted) return continueAt(context, rule, { position: rule.position, deleted })
    const progress = { deleted: addition(deleted), ...renewed(retentionQueue, now()) }
    // The rule was changed, or another process has it.
    if ((await updateLeased(db.sql, retentionQueue, leaseOf(retentionQueue, rule), progress, 'deleted')) === undefined)
      return
    const startedAt = performance.now()
    const batch = await findStillExpired(db.sql, background.context().model, object, {
      ids: ids.slice(start, start + DELETED_AT_ONCE),
      before: deletion.before,
    })
    deleted = await deleteUnchanged(background.context(), object.id, batch, deletion)
    events?.wake()
    await pause(performance.now() - startedAt)
  }
  if (last !== null) await continueAt(context, rule, { position: last, deleted })
  else await endRun(context, rule, { object, deleted })
}

const addition = (deleted: number) => expression<number>`deleted + ${deleted}::int`

/** Of an installation without a trash, both actions delete for good. */
const trashDaysOf = ({ settings: { trashDays } }: RetentionContext, { action }: DueRule): number =>
  action === 'trash' ? trashDays : 0

interface StepEnd {
  readonly position: string | null
  /** How many were deleted since the number was stored. */
  readonly deleted: number
}

async function continueAt({ db, now }: RetentionContext, rule: DueRule, { position, deleted }: StepEnd): Promise<void> {
  const changes = { ...released(now()), position, deleted: addition(deleted) }
  await updateLeased(db.sql, retentionQueue, leaseOf(retentionQueue, rule), changes, 'days')
}

/** The next run is due a day later. A run that deleted nothing has no audit entry. */
async function endRun(
  { db, now }: RetentionContext,
  rule: DueRule,
  { object, deleted }: { readonly object: ObjectType; readonly deleted: number },
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const changes = {
      ...released(now() + DAY),
      position: null,
      ran_at: timestampFromMicros(now()),
      ran_deleted: addition(deleted),
      deleted: 0,
    }
    const records = await updateLeased(tx, retentionQueue, leaseOf(retentionQueue, rule), changes, 'ran_deleted')
    if (records === undefined || records === null || records === 0) return
    await audit(tx, {
      actor: { type: 'system', id: null },
      workspaceId: rule.workspace_id,
      action: 'object.records-expired',
      subject: { type: 'object', id: object.id, name: object.plural_noun },
      details: { records, days: rule.days, action: rule.action },
      now: now(),
    })
  })
}

interface Deletion {
  readonly trashDays: number
  readonly before: Micros
}

/** Deletes as a request does, with change events. A record that was changed since it was read stays. Returns how many were deleted. */
async function deleteUnchanged(
  context: RequestContext,
  objectId: string,
  ids: readonly string[],
  { trashDays, before }: Deletion,
): Promise<number> {
  try {
    const deleted = await retryOnConflict(context, async (current) => {
      const object = findObject(current.model, objectId)
      if (object === undefined) return new Set()
      return deleteRecordEntities(current, object, ids, {
        check(entity) {
          if (entity.updated >= before) throw new ChangedMeanwhile(entity.id)
        },
        trashDays,
        prepareErasure: erasureWith({ now: current.now }),
      })
    })
    return deleted.size
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error
    const others = ids.filter((id) => id !== error.recordId)
    return deleteUnchanged(context, objectId, others, { trashDays, before })
  }
}

class ChangedMeanwhile extends Error {
  constructor(readonly recordId: string) {
    super('The record was changed since it was read.')
  }
}

interface ExpiredRead {
  readonly days: number
  readonly now: Micros
  readonly after: string | null
  readonly limit: number
}

/** Records without a change for this long were last changed before this time. */
const cutOffOf = ({ days, now }: Pick<ExpiredRead, 'days' | 'now'>): Micros => now - days * DAY

async function readExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { days, now, after, limit }: ExpiredRead,
): Promise<UnchangedPage> {
  const before = cutOffOf({ days, now })
  const { ids, last } = await readUnchanged(sql, model, object, { before, after, limit })
  return { ids: await withoutAttached(sql, model, ids, before), last }
}

/** Returns those of the records that are still to be deleted: a step reads many records, and deletes the last ones of them much later. */
async function findStillExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { ids, before }: { readonly ids: readonly string[]; readonly before: Micros },
): Promise<string[]> {
  return withoutAttached(sql, model, await findUnchanged(sql, model, object, { ids, before }), before)
}

async function withoutAttached(sql: Sql, model: DataModel, ids: readonly string[], before: Micros): Promise<string[]> {
  const attached = await findAttachedSince(sql, model, ids, before)
  return ids.filter((id) => !attached.has(id))
}

const PAGE = 10_000
const MAX_PAGES = 50

export interface ExpiredCount {
  readonly records: number
  /** False when the object has more records than are read. */
  readonly is_complete: boolean
}

/** Counts the records that a rule would delete now, among the first half million of the object. */
export async function countExpired(
  sql: Sql,
  model: DataModel,
  object: ObjectType,
  { days, now }: Pick<ExpiredRead, 'days' | 'now'>,
): Promise<ExpiredCount> {
  let records = 0
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const { ids, last }: UnchangedPage = await readExpired(sql, model, object, { days, now, after, limit: PAGE })
    records += ids.length
    if (last === null) return { records, is_complete: true }
    after = last
  }
  return { records, is_complete: false }
}
