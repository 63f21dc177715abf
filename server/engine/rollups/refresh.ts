/**
 * The worker of look-ups and rollups: computes what changes requested, batch by batch, and requests what follows from the values that it
 * changed. See docs/decisions/rollups.md.
 */

import type { Database, Transaction } from '#db/connect'
import type { AppContext } from '#context'
import { isTransactionConflict } from '#base/errors/database'
import { type Clock, type Micros, microsFromPostgres } from '#base/timing/clock'
import { pauseAfterStep } from '#base/timing/wait'
import { blockEntityWrites, changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { loadDataModel } from '#engine/data-model/load'
import { wholeModel } from '#engine/data-model/access/member-model'
import { type Attribute, type DataModel, type EntityType, indexEntityTypes } from '#engine/data-model/model'
import { asOutboxWriter } from '#engine/outbox/outbox'
import { queueWorker, takeDue, type WorkRun } from '#engine/queue'
import { VersionConflict } from '#engine/storage/preconditions'
import {
  countEntities,
  deleteHistoryOf,
  lockForRefresh,
  lockPage,
  NO_ENTITY,
  pageOfReferring,
  refreshValues,
} from '#engine/storage/statements/rollup-statements'
import { followedRollups, isList, isRolledUp, relationOf, watchedIds } from './definition'
import { type EntityChanges, readVersion, requestRollups } from './requests'
import {
  continueBehind,
  deleteDone,
  type DueRefresh,
  findDueWorkspaces,
  insertRequests,
  rollupQueue,
  storeTotal,
} from './rollup-queue'
import { valuesSql } from '#engine/query/compile/rollup-statement'
import { writeChangedValues } from './write-changes'

/** How many entities a statement computes. */
const PAGE = 1_000
/** After this time, a transaction computes no further page. Other writes of its entities wait for it. */
const TRANSACTION_MS = 100
/** How many pieces of work are taken at once. */
const BATCH = 200

// The first computation of an attribute, and the one after a change of its definition.

/** Computes the first entities, and has the others computed. The old values of these stay until then. */
export async function applyRollup(step: ModelChange, attributeId: string, now: Clock): Promise<void> {
  const { tx } = step
  const model = computingModel(await loadDataModel(tx, step.model.workspace.id))
  const attribute = model.attributesById.get(attributeId)
  const entityType = model.entityTypesById.get(attribute?.entity_type_id ?? '')
  if (attribute === undefined || entityType === undefined) throw new Error(`There is no attribute ${attributeId}.`)
  // A write that ends before is computed here. The event of one that begins later is read with the new data model.
  const other = attribute.computed && relationOf(model, attribute.computed)?.other
  for (const each of new Set([entityType, other ?? entityType])) await blockEntityWrites(tx, each)
  const ids = await lockPage(tx, entityType, { after: NO_ENTITY, limit: PAGE })
  await refreshEntities(tx, model, entityType, { ids, isLocked: true, attributes: [attribute], now })
  if (ids.length < PAGE) return
  const request = { entityTypeId: entityType.id, attributeId, entityId: null }
  await insertRequests(tx, model.workspace.id, [request], now())
}

/** The model in which nothing is hidden, also not from everyone. */
function computingModel(loaded: DataModel): DataModel {
  const model = wholeModel(loaded)
  const cached = computing.get(model)
  if (cached) return cached
  const entityTypes = model.entityTypes.map((entityType) => ({
    ...entityType,
    attributes: entityType.attributes.map((attribute) => ({ ...attribute, isHidden: false })),
  }))
  const made = { ...model, ...indexEntityTypes(entityTypes) }
  computing.set(model, made)
  return made
}

const computing = new WeakMap<DataModel, DataModel>()

interface Refresh {
  readonly ids: readonly string[]
  readonly attributes: readonly Attribute[]
  readonly now: Clock
  /** Whether the transaction has locked the entities. */
  readonly isLocked?: boolean
  /** Whether values changed from which these follow. The first computation, and that after a change of the definition, have no history and no events. */
  readonly isChange?: boolean
  /** The time of the oldest write behind it. */
  readonly since?: Micros
  /** Those whose history may have values of a record that was deleted for good. */
  readonly erased?: readonly Attribute[]
}

/** Locks the entities, computes the attributes, and requests what follows. */
async function refreshEntities(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { ids, attributes, now, isLocked = false, isChange = false, since, erased = [] }: Refresh,
): Promise<void> {
  const followedIds = isChange ? followedRollups(model, entityType) : NONE
  const isFollowed = (attribute: Attribute) => followedIds.has(attribute.id) && !erased.includes(attribute)
  const [followed, others] = [attributes.filter(isFollowed), attributes.filter((each) => !isFollowed(each))]
  const locked = isLocked || others.length === 0 ? ids : await lockForRefresh(tx, entityType, ids)
  const changes = await refreshLocked(tx, model, entityType, { locked, attributes: others })
  if (erased.length > 0) changes.push(...(await eraseHistory(tx, model, entityType, { ids: locked, erased })))
  if (followed.length > 0)
    changes.push(...(await writeChangedValues(tx, model, entityType, { ids, attributes: followed, now })))
  await requestRollups(
    tx,
    model,
    changes.map((each) => ({ ...each, since })),
    now(),
  )
}

/** Computes the attributes of locked entities. Returns what changed. */
async function refreshLocked(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { locked, attributes }: { readonly locked: readonly string[]; readonly attributes: readonly Attribute[] },
): Promise<EntityChanges[]> {
  if (locked.length === 0 || attributes.length === 0) return []
  const values = valuesSql(model, attributes)
  const changed = await refreshValues(tx, entityType, values, locked)
  return values.attributes.flatMap(({ attribute: { id } }, index) => {
    const ids = changed[index] ?? []
    return ids.length === 0 ? [] : [{ entityTypeId: entityType.id, ids, attributeId: id }]
  })
}

const NONE: ReadonlySet<string> = new Set()

/** Deletes the history of the attributes and of the formulas over them. Of what other entities have from these values, it is deleted next. */
async function eraseHistory(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { ids, erased }: Required<Pick<Refresh, 'ids' | 'erased'>>,
): Promise<EntityChanges[]> {
  const formulas = entityType.attributes.filter(({ computed }) => computed?.formula)
  const following = formulas.filter((each) => erased.some(({ id }) => watchedIds(model, each).has(id)))
  const all = [...erased, ...following]
  await deleteHistoryOf(
    tx,
    model,
    all.filter(({ has_history }) => has_history),
    ids,
  )
  return all.map(({ id }) => ({ entityTypeId: entityType.id, ids, attributeId: id, isErasure: true }))
}

// The queue.

export type RollupContext = Pick<AppContext, 'db' | 'now' | 'models' | 'requests'>

/** How the worker shares the database with requests. */
interface Pace {
  /** Waits as long as a transaction took during which requests arrived, so that the worker then uses at most half of the time of a connection. */
  readonly pause: (ms: number) => Promise<void>
  readonly transactionMs: number
}

const USUAL_PACE: Pace = { pause: pauseAfterStep, transactionMs: TRANSACTION_MS }

export const rollupWorker = () =>
  queueWorker<RollupContext>({
    name: 'rollups',
    does: 'computes look-ups and rollups',
    queue: rollupQueue,
    everyMs: 2_000,
    take: async (context, stopping, logFailure) => async () => {
      await refreshRollups({ context, stopping, logFailure })
      return false
    },
  })

/** Computes what is due, a batch of each workspace in turn, until nothing is due or the signal aborts. */
export async function refreshRollups(
  { context, stopping, logFailure }: WorkRun<RollupContext>,
  pace = USUAL_PACE,
): Promise<void> {
  for (;;) {
    const workspaces = await findDueWorkspaces(context.db.sql, context.now())
    let taken = 0
    for (const workspaceId of workspaces) {
      if (stopping.aborted) return
      try {
        taken += await refreshBatch({ context, stopping, logFailure }, workspaceId, pace)
      } catch (error) {
        // The worker continues with the other workspaces. This work is due again when its lease ends.
        logFailure(`Look-ups and rollups of workspace ${workspaceId} could not be computed.`, error)
      }
    }
    if (taken === 0) return
  }
}

/** Returns how many pieces of work were taken. */
async function refreshBatch(
  { context, logFailure }: WorkRun<RollupContext>,
  workspaceId: string,
  pace: Pace,
): Promise<number> {
  const { db, now, models } = context
  const taken = await takeDue(db, rollupQueue, { now: now(), limit: BATCH, workspaceId })
  if (taken.length === 0) return 0
  const readModel = async () =>
    computingModel(await models.getSince(workspaceId, await readVersion(db.sql, workspaceId)))
  let model = await readModel()
  /** Writes with events check that the data model is still the same. */
  const withModel = async <T>(work: (model: DataModel) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(model)
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof VersionConflict)) throw error
        model = await readModel()
      }
    }
  }
  /** The work is due again when its lease ends, and the other work goes on. */
  const orLater = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) =>
      logFailure(`A look-up or rollup of workspace ${workspaceId} could not be computed.`, error),
    )
  const single = taken.filter(({ attribute_id }) => attribute_id === null)
  // What was not computed at its first attempt is computed alone, because the error may be that of one entity.
  const together = Map.groupBy(single, ({ entity_type_id, attempts, id }) => (attempts > 1 ? id : entity_type_id))
  for (const rows of together.values()) await orLater(withModel((current) => refreshSingle(context, current, rows)))
  for (const rows of workInPages(taken)) {
    const [startedAt, requests] = [performance.now(), context.requests.total]
    const pauseUnlessAlone = () => pace.pause(context.requests.total === requests ? 0 : performance.now() - startedAt)
    await orLater(
      withModel((current) => refreshPages(context, current, rows, pace)).then((hasMore) =>
        hasMore ? pauseUnlessAlone() : undefined,
      ),
    )
  }
  return taken.length
}

/** The number of changed records for which the same statements compute the entities that refer to them. */
const TARGETS_AT_ONCE = 20

/** The work of attributes. That of one attribute for several records is done together when it continues behind the same entity. */
function* workInPages(taken: readonly DueRefresh[]): Generator<readonly DueRefresh[]> {
  const rows = taken.filter(({ attribute_id }) => attribute_id !== null)
  const together = Map.groupBy(rows, ({ id, entity_id, attribute_id, after, attempts, is_erasure }) =>
    entity_id === null || attempts > 1 ? id : `${attribute_id} ${after} ${is_erasure}`,
  )
  for (const all of together.values())
    for (let from = 0; from < all.length; from += TARGETS_AT_ONCE) yield all.slice(from, from + TARGETS_AT_ONCE)
}

async function refreshSingle({ db, now }: RollupContext, model: DataModel, rows: readonly DueRefresh[]): Promise<void> {
  const entityType = model.entityTypesById.get(rows[0]?.entity_type_id ?? '')
  if (entityType !== undefined) {
    const ids = rows.flatMap(({ entity_id }) => entity_id ?? [])
    const attributes = entityType.attributes.filter(isRolledUp)
    const { since, isErasure } = causeOf(rows)
    // A look-up of a deleted record is requested by its attribute.
    const refresh = { ids, attributes, now, isChange: true, since, erased: isErasure ? attributes.filter(isList) : [] }
    await writeChanges(db, model, entityType, (tx) => refreshEntities(tx, model, entityType, refresh))
  }
  await deleteDone(db.sql, rows)
}

const causeOf = (rows: readonly DueRefresh[]) => ({
  since: Math.min(...rows.map(({ requested_at }) => microsFromPostgres(requested_at))),
  isErasure: rows.some(({ is_erasure }) => is_erasure),
})

/** Runs a transaction that may have events of tracked attributes. */
const writeChanges = <T>(
  db: Database,
  { workspace, attributesById }: DataModel,
  entityType: EntityType,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  if (followedRollups({ attributesById }, entityType).size === 0) return inTransaction(db, work)
  return asOutboxWriter(db, workspace.id, () => inTransaction(db, work))
}

/**
 * Computes the next pages of one attribute in a transaction, of all entities or of those that refer to records: one page while requests arrive.
 * Returns whether there are more.
 */
async function refreshPages(
  { db, now, requests }: RollupContext,
  model: DataModel,
  rows: readonly DueRefresh[],
  { transactionMs }: Pace,
): Promise<boolean> {
  const [row] = rows
  if (row === undefined) return false
  const attribute = model.attributesById.get(row.attribute_id ?? '')
  const entityType = model.entityTypesById.get(row.entity_type_id)
  const relation = attribute?.computed && relationOf(model, attribute.computed)
  if (attribute === undefined || entityType === undefined || !relation) {
    await deleteDone(db.sql, rows)
    return false
  }
  const targets = rows.flatMap(({ entity_id }) => entity_id ?? [])
  const isOfAll = targets.length === 0
  const referring = isOfAll ? undefined : { table: entityType.table, reference: relation.reference, targets }
  if (isOfAll && row.total_count === null) await storeTotal(db.sql, row, await countEntities(db.sql, entityType))
  const { since, isErasure } = causeOf(rows)
  const isErased = isErasure && (attribute.computed?.lookup != null || isList(attribute))
  const refresh = {
    attributes: [attribute],
    now,
    isLocked: isOfAll,
    isChange: !isOfAll,
    since,
    erased: isErased ? [attribute] : [],
  }
  const { last, computed } = await writeChanges(db, model, entityType, async (tx) => {
    const [startedAt, arrived] = [performance.now(), requests.total]
    let last: string | undefined = row.after ?? NO_ENTITY
    let computed = 0
    do {
      const page = { after: last, limit: PAGE }
      const ids: string[] = referring
        ? await pageOfReferring(tx, model, referring, page)
        : await lockPage(tx, entityType, page)
      await refreshEntities(tx, model, entityType, { ...refresh, ids })
      computed += ids.length
      last = ids.length < PAGE ? undefined : ids.at(-1)
    } while (last !== undefined && performance.now() - startedAt < transactionMs && requests.total === arrived)
    return { last, computed }
  })
  if (last !== undefined) await continueBehind(db.sql, rows, { after: last, computed }, now())
  else if (!isOfAll) await deleteDone(db.sql, rows)
  // The attribute then says that all entities are computed.
  else await changeWorkspaceModel(db, row.workspace_id, ({ tx }) => deleteDone(tx, rows))
  return last !== undefined
}

/** How often a batch that other writers of the same entities disturb is begun again. */
const ATTEMPTS = 5

async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.sql.begin(work)) as T // the driver's type for the callback's result is wider
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransactionConflict(error)) throw error
    }
  }
}
