/** Creates an entity: a record or an entry. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Stored } from '../../attribute-types/define'
import type { RequestContext } from '../../call'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import { timestampFromMicros } from '../../timing/clock'
import { distinctValues, type Stamp } from './apply-values'
import { onUniqueKeyConflict } from './retry-on-conflict'
import { fillColumns } from '../../storage/entity-change'
import type { ReferenceTargets } from '../../storage/preconditions'
import type { Row } from '../../storage/layout'
import { serialiseWrites } from './serialise-writes'
import { type Parent, parentTarget, parentValues } from '../../storage/parent'
import type { Assignment } from './parse-values'
import { findRow } from '../../storage/read-entities'
import { releaseTargets, touchesOthers, writeDerived } from '../relationships/relationships'
import { type Insert, insertEntity, type NewEntity } from '../../storage/statements/insert-entity'
import { ofOthers, onlyOnce, tellCreated } from './change-events'
import type { OwnedKey } from '../../storage/statements/unique-key-step'
import { uniqueKeys } from '../../storage/unique-keys'
import type { Creation, Provenance } from '../../storage/provenance'
import { UniqueKeyConflict, VersionConflict, targetsOf } from './save-change'

/** An entity to be created: its id, and what it is to hold. */
export interface NewContents {
  readonly id: string
  readonly assignments: readonly Assignment[]
  /** Of an entry. */
  readonly parent?: Parent
}

/** An entity to be created, in full. */
export interface NewEntityContents {
  readonly id: string
  readonly created: Creation
  readonly contents: readonly {
    readonly attribute: Attribute
    readonly values: readonly Stored[]
    /** Where they come from, when that is not the creation of the entity. */
    readonly entries?: Provenance[string]
  }[]
  /** Of an entry. */
  readonly parent?: Parent
}

/**
 * Creates one entity with its values, unique keys and relationships, and answers its row for its renderer. One statement
 * unless a relationship changes other entities.
 * Throws `VersionConflict` and `UniqueKeyConflict` for `attempt`.
 */
export async function createEntity(
  context: RequestContext,
  entityType: EntityType,
  contents: NewContents,
): Promise<Row> {
  const { model } = context
  const newStamp = () => ({ now: context.now(), actor: context.actor })
  const { id, assignments } = contents
  if (!assignments.some(({ attribute, values }) => values.length > 0 && touchesOthers(model, attribute))) {
    return insertOne(context.db.sql, model, entityType, contents, newStamp())
  }
  return serialiseWrites(context, async (tx) => {
    const stamp = newStamp()
    const writing = { tx, model, stamp, told: [] }
    const own: ChangeEvent[] = []
    await releaseTargets(writing, id, assignments)
    await insertOne(tx, model, entityType, contents, stamp, own)
    for (const assignment of assignments) {
      if (assignment.attribute.stored_in === 'partner') await writeDerived(writing, id, assignment, 'overwrite')
    }
    const told = onlyOnce([...own, ...ofOthers(writing.told, [id])])
    await appendToOutbox(tx, eventOriginOf(context, stamp.now), told)
    const row = await findRow(tx, model, entityType, id)
    if (!row) throw new VersionConflict()
    return row
  })
}

/** `gather` takes what is to be told, for whoever tells it together with more; else the statement tells it. */
async function insertOne(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  { id, assignments, parent }: NewContents,
  stamp: Stamp,
  gather?: ChangeEvent[],
): Promise<Row> {
  const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
  const contents = own.map(({ attribute, values }) => ({ attribute, values: distinctValues(attribute, values) }))
  const created = { at: stamp.now, actor: stamp.actor }
  const targets = [...targetsOf(model, assignments), ...(parent ? [parentTarget(parent)] : [])]
  const events = tellCreated(model, entityType, { id, parentRecordId: parent?.recordId }, contents)
  gather?.push(...events)
  const told = gather ? undefined : { origin: created, events }
  const entity = { id, created, contents, parent }
  return insertContents(db, model, entityType, entity, { targets: mergeTargets(targets), answer: 'row', told })
}

/** Inserts an entity in one statement. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function insertContents(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  contents: NewEntityContents,
  { targets, answer, told }: Pick<Insert, 'targets' | 'answer' | 'told'>,
): Promise<Row> {
  const { entity, keys } = prepareInsert(contents)
  const attributes = contents.contents.map(({ attribute }) => attribute)
  try {
    const isFirst = contents.parent?.claim !== undefined
    const insert = { attributes, entity, keys, targets, isFirst, answer, told }
    const [row] = await insertEntity(db, model, entityType, insert)
    if (!row) throw new VersionConflict()
    return row
  } catch (error) {
    throw onUniqueKeyConflict(error, () => new UniqueKeyConflict(keys, contents.id))
  }
}

interface PreparedInsert {
  readonly entity: NewEntity
  readonly keys: OwnedKey[]
}

function prepareInsert({ id, created, contents, parent }: NewEntityContents): PreparedInsert {
  const entity: Record<string, unknown> = { ...parentValues(parent) }
  const keys: PreparedInsert['keys'] = parent?.claim ? [{ ...parent.claim, entity_id: id }] : []
  let provenance: Record<string, Provenance[string]> | null = null
  for (const { attribute, values, entries } of contents) {
    fillColumns(entity, attribute, values)
    if (entries) (provenance ??= {})[attribute.number] = entries
    if (attribute.is_unique) for (const key of uniqueKeys(attribute, values)) keys.push({ ...key, entity_id: id })
  }
  const created_at = timestampFromMicros(created.at)
  return { entity: Object.assign(entity, { id, created_at, created_by: created.actor, provenance }), keys }
}

/** An entry's own record may be one that it refers to. */
function mergeTargets(all: readonly ReferenceTargets[]): ReferenceTargets[] {
  const merged = new Map<string, Set<string>>()
  for (const { table, ids } of all) merged.set(table, new Set([...(merged.get(table) ?? []), ...ids]))
  return [...merged].map(([table, ids]) => ({ table, ids: [...ids] }))
}
