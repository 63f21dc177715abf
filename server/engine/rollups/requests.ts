/**
 * Requests the look-ups and rollups that a change concerns: those of the entity itself, and those of the entities that refer to it or to which
 * it refers. See docs/decisions/rollups.md.
 */

import type { Sql, Transaction } from '#db/connect'
import type { Micros } from '#base/timing/clock'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import { loadDataModel } from '#engine/data-model/load'
import { wholeModel } from '#engine/data-model/access/member-model'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { findTargets } from '#engine/storage/statements/rollup-statements'
import { isRolledUp, type Relation, relationOf, watchedIds } from './definition'
import { type Cause, insertRequests, type Request } from './rollup-queue'

/** A change of entities of one type. */
export interface EntityChanges extends Cause {
  readonly entityTypeId: string
  readonly ids: readonly string[]
  /** The attribute whose values changed. Undefined for entities that were created, deleted, restored or merged. */
  readonly attributeId: string | undefined
  /** The parent records of entries that may not exist any more. */
  readonly parents?: readonly Parent[]
}

interface Parent {
  readonly objectId: string
  readonly id: string
}

interface Dependent {
  readonly attribute: Attribute
  readonly entityType: EntityType
  readonly relation: Relation
  /** The attributes of the other entity type whose changes change the value. */
  readonly watched: ReadonlySet<string>
}

interface Dependents {
  /** By the entity type with the values. */
  readonly own: ReadonlyMap<string, readonly Dependent[]>
  /** By the entity type that the values come from. */
  readonly other: ReadonlyMap<string, readonly Dependent[]>
}

const cache = new WeakMap<DataModel, Dependents>()

function dependentsOf(model: DataModel): Dependents {
  const cached = cache.get(model)
  if (cached) return cached
  const all = [...model.attributesById.values()].filter(isRolledUp).flatMap((attribute): Dependent[] => {
    const relation = attribute.computed ? relationOf(model, attribute.computed) : undefined
    if (relation === undefined) return []
    return [{ attribute, entityType: entityTypeOf(model, attribute), relation, watched: watchedIds(model, attribute) }]
  })
  const found = {
    own: Map.groupBy(all, ({ entityType }) => entityType.id),
    other: Map.groupBy(all, ({ relation }) => relation.other.id),
  }
  cache.set(model, found)
  return found
}

/** Requests what the changes concern. Returns the number of requests. */
export async function requestRollups(
  tx: Transaction,
  given: DataModel,
  changes: readonly EntityChanges[],
  now: Micros,
): Promise<number> {
  if (changes.length === 0) return 0
  const requests = await findRequests(tx, await newestModel(tx, given), changes)
  await insertRequests(tx, given.workspace.id, requests, now)
  return requests.length
}

/** An attribute that was added since the model was loaded may follow from the changes as well. */
async function newestModel(tx: Transaction, model: DataModel): Promise<DataModel> {
  const version = await readVersion(tx, model.workspace.id)
  return version > model.version ? loadDataModel(tx, model.workspace.id) : model
}

export async function readVersion(on: Sql | Transaction, workspaceId: string): Promise<number> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.workspaces')
    .select('data_model_version')
    .where('id', '=', workspaceId)
    .executeTakeFirst()
  return row?.data_model_version ?? 0
}

/** The same in two steps, for a deletion after which the tables do not say any more what it concerned. */
export async function findRequests(
  tx: Sql | Transaction,
  given: DataModel,
  changes: readonly EntityChanges[],
): Promise<readonly Request[]> {
  const model = wholeModel(given)
  const dependents = dependentsOf(model)
  const requests = new Map<string, Request>()
  for (const change of changes) {
    const { since, isErasure } = change
    for (const request of await concernedBy(tx, model, dependents, change)) {
      const key = `${request.attributeId} ${request.entityId}`
      if (requests.get(key)?.isErasure !== true) requests.set(key, { ...request, since, isErasure })
    }
  }
  return [...requests.values()]
}

async function concernedBy(
  tx: Sql | Transaction,
  model: DataModel,
  { own, other }: Dependents,
  change: EntityChanges,
): Promise<Request[]> {
  const { entityTypeId, ids, attributeId } = change
  const isWhole = attributeId === undefined
  const requests: Request[] = []
  if ((own.get(entityTypeId) ?? []).some(({ relation }) => isWhole || isReference(model, relation, attributeId)))
    requests.push(...ids.map((entityId) => ({ entityTypeId, attributeId: null, entityId })))
  const concerned = (other.get(entityTypeId) ?? []).filter(
    ({ relation, watched }) => isWhole || watched.has(attributeId) || isReference(model, relation, attributeId),
  )
  for (const { attribute } of concerned.filter(({ relation: { isForward } }) => isForward))
    for (const entityId of ids)
      requests.push({ entityTypeId: attribute.entity_type_id, attributeId: attribute.id, entityId })
  const backward = concerned.filter(({ relation: { isForward } }) => !isForward)
  const byReference = Map.groupBy(
    backward,
    ({ relation: { reference }, entityType }) => `${reference.id} ${entityType.id}`,
  )
  for (const [first] of byReference.values())
    if (first !== undefined) requests.push(...(await targetsOf(tx, model, first, change)))
  return requests
}

/** Whether the attribute is a side of the reference between the two entity types. */
const isReference = (model: DataModel, { reference }: Relation, attributeId: string): boolean =>
  reference.id === attributeId || otherSideOf(model, reference)?.id === attributeId

/** The entities to which the changed ones refer, or did. */
async function targetsOf(
  tx: Sql | Transaction,
  model: DataModel,
  { entityType, relation: { other, reference } }: Dependent,
  { ids, parents = [] }: EntityChanges,
): Promise<Request[]> {
  const found = await findTargets(tx, model, { entityType: other, reference, target: entityType }, ids)
  const ofEvents = parents.filter(({ objectId }) => reference.stored_in === 'entity' && objectId === entityType.id)
  const targets = new Set([...found, ...ofEvents.map(({ id }) => id)])
  return [...targets].map((entityId) => ({ entityTypeId: entityType.id, attributeId: null, entityId }))
}

/** Requests the look-ups and rollups that follow from formulas of the entity type, for all entities. */
export async function requestAfterFormulas(
  tx: Transaction,
  model: DataModel,
  entityTypeId: string,
  now: Micros,
): Promise<void> {
  const formulas = model.entityTypesById
    .get(entityTypeId)
    ?.attributes.filter(({ stored_in }) => stored_in === 'formula')
  const following = (dependentsOf(model).other.get(entityTypeId) ?? []).filter(({ watched }) =>
    formulas?.some(({ id }) => watched.has(id)),
  )
  const requests = following.map(({ attribute: { id, entity_type_id } }) => ({
    entityTypeId: entity_type_id,
    attributeId: id,
    entityId: null,
  }))
  await insertRequests(tx, model.workspace.id, requests, now)
}
