/**
 * Computes the formulas of rows that exist. A change of the data model makes the trigger and computes the first page in its transaction; a
 * worker computes the others, page by page, so that no statement holds many rows for long. See docs/decisions/formulas.md.
 */

import { sql as expression } from 'kysely'
import { allowTriggers, sendCommands } from '#db/citus'
import type { Database, Transaction } from '#db/connect'
import type { AppContext } from '#context'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { pauseAfterStep } from '#base/timing/wait'
import { blockEntityWrites, changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import { wholeModel } from '#engine/data-model/access/member-model'
import type { EntityType } from '#engine/data-model/model'
import {
  deleteTaken,
  leaseOf,
  type Queue,
  queueWorker,
  renewed,
  type Taken,
  takeOne,
  updateLeased,
  type WorkRun,
} from '#engine/queue'
import { requestAfterFormulas } from '#engine/rollups/requests'
import { recomputePage } from '#engine/storage/statements/formula-statements'
import { countEntities } from '#engine/storage/statements/rollup-statements'
import { formulaCommands, formulasOfClock, storedFormulas } from './formula-sql'

/** How many rows a transaction computes. Other writes of these rows wait for it. */
const PAGE = 2_000
const NO_ROW = '00000000-0000-0000-0000-000000000000'

/**
 * Makes the trigger and the functions of an entity type as the data model of the transaction needs them. Has its rows computed when a
 * stored formula may have another result.
 */
export async function applyFormulas(
  step: ModelChange,
  entityTypeId: string,
  now: Clock,
  isStoredChanged = true,
): Promise<void> {
  const { tx, control, model } = step
  const entityType = await makeFormulas(step, entityTypeId)
  if (!isStoredChanged || storedFormulas(entityType).length === 0) return
  const after = await recomputePage(tx, entityType, { after: NO_ROW, limit: PAGE })
  const work = { workspace_id: model.workspace.id, entity_type_id: entityTypeId }
  if (after === undefined) {
    await control.deleteFrom('relata.formula_fills').where(equal(work)).execute()
    await requestAfterFormulas(tx, wholeModel(model), entityTypeId, now())
    return
  }
  const rest = {
    after,
    due_at: timestampFromMicros(now()),
    attempts: 0,
    leased_by: null,
    worker: null,
    computed_count: String(PAGE),
    total_count: null,
  }
  await control
    .insertInto('relata.formula_fills')
    .values({ ...work, ...rest })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'entity_type_id']).doUpdateSet(rest))
    .execute()
}

/** Makes the trigger and the functions. Earlier writes end before, later ones use them. */
export async function makeFormulas({ tx, model: before }: ModelChange, entityTypeId: string): Promise<EntityType> {
  const model = wholeModel(await loadDataModel(tx, before.workspace.id))
  const entityType = model.entityTypesById.get(entityTypeId)
  if (entityType === undefined) throw new Error(`There is no entity type ${entityTypeId}.`)
  await blockEntityWrites(tx, entityType)
  await allowTriggers(tx)
  const earlier = before.entityTypesById.get(entityTypeId)
  await sendCommands(tx, formulaCommands(model, entityType, earlier === undefined ? [] : formulasOfClock(earlier)))
  return entityType
}

const queue = {
  table: 'relata.formula_fills',
  id: 'entity_type_id',
  lease: 60_000_000,
} as const satisfies Queue<'relata.formula_fills'>

type DueFill = Taken<'relata.formula_fills'>
type FillContext = Pick<AppContext, 'db' | 'now'>

/** `pause` waits as long as a page took, so that the worker uses at most half of the time of a connection. */
export const formulaWorker = (pause = pauseAfterStep) =>
  queueWorker<FillContext>({
    name: 'formulas',
    does: 'computes formulas that changed for the rows of large tables',
    queue,
    everyMs: 15_000,
    take: takeOne(queue, (run, due: DueFill) => fillRest(run, due, pause)),
  })

async function fillRest(
  { context: { db, now }, stopping }: WorkRun<FillContext>,
  due: DueFill,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  const model = wholeModel(await loadDataModel(db, due.workspace_id))
  const entityType = model.entityTypesById.get(due.entity_type_id)
  if (entityType === undefined) return
  if (due.total_count === null) {
    const total_count = await countEntities(db.sql, entityType)
    await updateLeased(db.sql, queue, leaseOf(queue, due), { total_count }, 'attempts')
  }
  for (let after: string | undefined = due.after; after !== undefined;) {
    if (stopping.aborted) return
    const startedAt = performance.now()
    after = await fillNext(db, now, entityType, { due, after })
    await pause(performance.now() - startedAt)
  }
}

interface FillStep {
  readonly due: DueFill
  readonly after: string
}

/** Returns undefined when all rows are computed, or when another change has begun anew. */
async function fillNext(
  db: Database,
  now: Clock,
  entityType: EntityType,
  { due, after }: FillStep,
): Promise<string | undefined> {
  const { last, isLeased } = await inTransaction(db, async (tx) => {
    const last = await recomputePage(tx, entityType, { after, limit: PAGE })
    const computed_count = expression<string>`q.computed_count + ${PAGE}`
    const changes = { ...(last !== undefined && { after: last, computed_count }), ...renewed(queue, now()) }
    return { last, isLeased: (await updateLeased(tx, queue, leaseOf(queue, due), changes, 'attempts')) !== undefined }
  })
  if (!isLeased) return undefined
  if (last === undefined) await finish(db, now, due)
  return last
}

/** Deletes the work as a change of the data model, whose attributes then say that all rows are computed. */
const finish = (db: Database, now: Clock, due: DueFill): Promise<void> =>
  changeWorkspaceModel(db, due.workspace_id, async ({ tx, model }) => {
    const isLeased = (await updateLeased(tx, queue, leaseOf(queue, due), { attempts: 0 }, 'attempts')) !== undefined
    if (!isLeased) return
    await deleteTaken(tx, queue, due.workspace_id, [due.entity_type_id])
    await requestAfterFormulas(tx, wholeModel(model), due.entity_type_id, now())
  })

const inTransaction = async <T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> =>
  (await db.sql.begin(work)) as T // the driver's type for the callback's result is wider
