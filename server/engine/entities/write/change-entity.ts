/** Writes changes of attributes to one entity. */

import type { Sql, Transaction } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { type AttributeChange, entityChange } from '#engine/storage/entity-change'
import type { Row } from '#engine/storage/layout'
import type { Stamp } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import { type EntityUpdate, updateEntity } from '#engine/storage/statements/update-entity'

export interface AttributeUpdate extends Pick<EntityUpdate, 'targets' | 'outbox' | 'isRefresh' | 'furtherStep'> {
  readonly changes: readonly AttributeChange[]
}

/** Returns the new row, or undefined if nothing differs. Throws `VersionConflict` and `UniqueKeyConflict`. */
export async function changeEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  entity: StoredEntity,
  { changes, ...update }: AttributeUpdate,
  stamp: Stamp,
): Promise<Row | undefined> {
  const change = entityChange(entity, changes, stamp)
  if (!change) return undefined
  const { id, version } = entity
  return updateEntity(db, model, entityType, { id, version, change, stamp, ...update })
}
