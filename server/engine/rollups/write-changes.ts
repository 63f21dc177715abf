/**
 * Writes changed look-ups and rollups that are tracked: with history, events of the system and, as refreshes, a new version that clients do not
 * see. From the version, the trigger of the table knows that formulas changed too. See docs/decisions/rollups.md.
 */

import type { Transaction } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import type { Stored } from '#engine/attribute-types/define'
import { type Attribute, type DataModel, type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { updatedEvent } from '#engine/entities/write/change-events'
import { valuesSql } from '#engine/query/compile/rollup-statement'
import { type AttributeChange, entityChange } from '#engine/storage/entity-change'
import { type Stamp, withEntries } from '#engine/storage/provenance'
import { lockEntities, type StoredEntity } from '#engine/storage/read-entities'
import { readComputedValues } from '#engine/storage/statements/rollup-statements'
import { type RowUpdate, updateMany } from '#engine/storage/statements/update-entities'
import type { EntityChanges } from './requests'

interface ChangedAttributes {
  readonly ids: readonly string[]
  readonly attributes: readonly Attribute[]
  readonly now: Clock
}

/** Returns the entities whose values changed, by attribute. Throws `VersionConflict` when the data model is outdated. */
export async function writeChangedValues(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { ids, attributes, now }: ChangedAttributes,
): Promise<EntityChanges[]> {
  const entities = await lockEntities(tx, model, entityType, ids, attributes)
  const locked = entities.map(({ id }) => id)
  const stamp = { now: now(), actor: SYSTEM_ACTOR }
  const changes = new Map<StoredEntity, AttributeChange[]>(entities.map((entity) => [entity, []]))
  for (const attribute of attributes) {
    const statement = valuesSql(model, attribute)
    if (statement === undefined) continue
    const values = await readComputedValues(tx, model, entityType, { attribute, ...statement }, locked)
    for (const [entity, own] of changes) own.push(changeOf(entity, attribute, values.get(entity.id) ?? [], stamp))
  }
  const updates = [...changes].flatMap(([entity, own]): RowUpdate[] => {
    const change = entityChange(entity, own, stamp)
    return change === undefined ? [] : [{ entity, change: { ...change, provenance: withoutUntracked(change) } }]
  })
  for (let from = 0; from < updates.length; from += AT_ONCE)
    await writeUpdates(tx, model, entityType, { updates: updates.slice(from, from + AT_ONCE), stamp })
  return attributes.flatMap((attribute) => {
    const changed = updates.filter(({ change }) => change.attributes.includes(attribute)).map(({ entity }) => entity.id)
    return changed.length === 0 ? [] : [{ entityTypeId: entityType.id, ids: changed, attributeId: attribute.id }]
  })
}

/** How many entities have their events in one row of the outbox, which is published at once. */
const AT_ONCE = 100

async function writeUpdates(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { updates, stamp }: { readonly updates: readonly RowUpdate[]; readonly stamp: Stamp },
): Promise<void> {
  const events = updates.flatMap(({ entity, change }) =>
    change.attributes
      .filter(({ has_history }) => has_history)
      .map((attribute) => updatedEvent(entityType, entity, attribute)),
  )
  const outbox = { origin: { at: stamp.now, actor: SYSTEM_ACTOR }, events }
  const rest = { targets: [], answer: 'nothing', skipsLocked: false, isRefresh: true } as const
  await updateMany(tx, model, entityType, { updates, stamp, outbox, ...rest })
}

/** Values that stay keep the time since which they are active. Others begin after those that they follow. */
function changeOf(
  entity: StoredEntity,
  attribute: Attribute,
  values: readonly Stored[],
  { now, actor }: Stamp,
): AttributeChange {
  const before = entity.valuesOf(attribute)
  const active_from = before.reduce((latest, value) => Math.max(latest, value.active_from + 1), now)
  const after = values.map(
    (stored) =>
      before.find((value) => Bun.deepEquals(value.stored, stored)) ?? {
        stored,
        active_from,
        actor,
        writtenFromOtherSide: false,
      },
  )
  return { attribute, before, after }
}

/** Values without history are active since the creation of their entity. */
const withoutUntracked = ({ provenance, attributes }: RowUpdate['change']) =>
  withEntries(
    provenance,
    attributes.flatMap((attribute) => (attribute.has_history ? [] : [{ attribute, entries: undefined }])),
  )
