/**
 * Deletes objects and activities for good that were deleted and have expired: their records in steps, as a request would, and at the end
 * their tables.
 * See docs/decisions/deleted-objects.md.
 */

import { sql } from 'kysely'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { erasureWith } from '#api/erasure/erase-records'
import type { Micros } from '#base/timing/clock'
import { pauseAfterStep } from '#base/timing/wait'
import type { AppContext, RequestContext } from '#context'
import { wholeModel } from '#engine/data-model/access/member-model'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { otherSideOf } from '#engine/data-model/find'
import {
  type Attribute,
  type DataModel,
  hasRecords,
  type ListType,
  type RecordType,
  SYSTEM_ACTOR,
} from '#engine/data-model/model'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { eraseRecordsOf } from '#engine/entities/write/delete-entity'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import {
  leaseOf,
  type Queue,
  queueWorker,
  released,
  renewed,
  type Taken,
  takeOne,
  updateLeased,
  type WorkRun,
} from '#engine/queue'
import { deleteEndedReferences } from '#engine/storage/statements/entity-type-statements'
import { appendToOutbox, type EventOrigin, eventOriginOf } from '#engine/outbox/outbox'
import { keepSlugs, partsOf, removeParent } from '#engine/workspaces/deleted-entity-types'
import { dropAttributes, dropEntityType } from '#engine/workspaces/write-entity-types'

/** How many records one transaction deletes. */
const ERASED_AT_ONCE = 100
const RETRY_AFTER: Micros = 600_000_000

const queue = {
  table: 'relata.deleted_entity_types',
  id: 'entity_type_id',
  lease: 60_000_000,
  // No process deletes while the database may be a copy.
  sends: true,
} as const satisfies Queue<'relata.deleted_entity_types'>

type DueRecordType = Taken<'relata.deleted_entity_types'>

/** `pause` waits as long as a transaction took, so that the worker uses at most half of the time of a connection. */
export const deletedObjectWorker = (pause = pauseAfterStep) =>
  queueWorker<Pick<AppContext, 'db' | 'now'>>({
    name: 'deleted objects',
    does: 'deletes objects and activities for good that have been in the trash for long enough',
    queue,
    everyMs: 600_000,
    take: takeOne(queue, (given, due) => run({ ...given, pause }, due)),
  })

interface Runner extends WorkRun<Pick<AppContext, 'db' | 'now'>> {
  readonly pause: (ms: number) => Promise<void>
}

async function run(runner: Runner, due: DueRecordType): Promise<void> {
  const { db, now } = runner.context
  try {
    await eraseRecordType(runner, due)
  } catch (error) {
    runner.logFailure('The deletion of an object or an activity was interrupted.', error, {
      entity_type_id: due.entity_type_id,
    })
    await updateLeased(db.sql, queue, leaseOf(queue, due), released(now() + RETRY_AFTER), 'due_at')
  }
}

/** A process that loses the lease ends, and another one goes on where it ended. */
async function eraseRecordType({ context, stopping, pause }: Runner, due: DueRecordType): Promise<void> {
  const { db, now } = context
  const { workspace_id, entity_type_id } = due
  await changeWorkspaceModel(db, workspace_id, (step) => dropReferring(step, entity_type_id))
  const background = await openBackgroundContext(db, workspace_id, now, () => SYSTEM_ACTOR)
  for (let after: string | undefined = NO_RECORD; ;) {
    if (stopping.aborted) return
    if ((await updateLeased(db.sql, queue, leaseOf(queue, due), renewed(queue, now()), 'attempts')) === undefined)
      return
    const startedAt = performance.now()
    after = await eraseBatch(background.context(), entity_type_id, after)
    if (after === undefined) break
    await pause(performance.now() - startedAt)
  }
  const origin = eventOriginOf(background.context())
  await changeWorkspaceModel(db, workspace_id, (step) => dropRecordType(step, entity_type_id, origin))
}

/** Is before every id. */
const NO_RECORD = '00000000-0000-0000-0000-000000000000'

/** Returns the last record that it deleted. */
const eraseBatch = (given: RequestContext, typeId: string, after: string): Promise<string | undefined> =>
  retryOnConflict(given, async (context) => {
    const model = wholeModel(context.model)
    const type = findDeleted(model, typeId)
    if (type === undefined) return undefined
    const prepareErasure = erasureWith({ now: context.now })
    return eraseRecordsOf({ ...context, model }, type, { after, limit: ERASED_AT_ONCE, prepareErasure })
  })

/** `model` is a whole one. */
function findDeleted(model: DataModel, id: string): RecordType | undefined {
  const type = model.entityTypesById.get(id)
  return type !== undefined && hasRecords(type) && type.isDeleted === true ? type : undefined
}

/**
 * Drops attributes of other entity types that can refer only to this one, with the other sides of their relationships. So
 * the deletion of its records changes no other records.
 */
async function dropReferring(given: ModelChange, typeId: string): Promise<void> {
  const step = { ...given, model: wholeModel(given.model) }
  const type = findDeleted(step.model, typeId)
  if (type === undefined) return
  const referring = partsOf(step.model, type).attributes.filter(isTowardsOne)
  const otherSides = referring.flatMap((attribute) => otherSideOf(step.model, attribute) ?? [])
  await dropAttributes(step, [...new Set([...referring, ...otherSides])])
}

const isTowardsOne = ({ config }: Attribute): boolean => config.record_reference?.allowed_object_ids?.length === 1

/** Drops the tables of an object or an activity without records. */
async function dropRecordType(given: ModelChange, typeId: string, origin: EventOrigin): Promise<void> {
  const step = { ...given, model: wholeModel(given.model) }
  const type = findDeleted(step.model, typeId)
  if (type === undefined) return
  const { lists, attributes, sharedAttributes } = partsOf(step.model, type)
  for (const attribute of [...attributes, ...sharedAttributes]) {
    // A historic value could not name its object or activity.
    await deleteEndedReferences(step.tx, step.model, attribute, type)
    await removeAllowedType(step, attribute, type)
  }
  for (const list of lists) {
    if (list.parentObjects.length === 1) await dropEntityType(step, list)
    else await leaveList(step, list, type, origin)
  }
  await keepSlugs(step, type)
  await dropEntityType(step, type)
}

/** Takes the object out of a list with further parent objects, which stays with their entries. */
async function leaveList(step: ModelChange, list: ListType, type: RecordType, origin: EventOrigin): Promise<void> {
  for (const attribute of list.attributes) await removeAllowedType(step, attribute, type)
  const isShown = await removeParent(step, list, type)
  if (isShown) await appendToOutbox(step.tx, origin, [{ event_type: 'list.created', id: { list_id: list.id } }])
}

/** Removes the object or the activity from the allowed ones of an attribute that restricts them. */
async function removeAllowedType({ control, model }: ModelChange, { id }: Attribute, type: RecordType): Promise<void> {
  const allowed = sql`(config #> '{record_reference,allowed_object_ids}')`
  await control
    .updateTable('relata.attributes')
    .set({
      config: sql<string>`jsonb_set(config, '{record_reference,allowed_object_ids}', ${allowed} - ${type.id}::text)`,
    })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .where(sql<boolean>`${allowed} ? ${type.id}::text`)
    .execute()
}
