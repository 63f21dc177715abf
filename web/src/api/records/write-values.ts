/** Writes values unless other people changed the same attribute. */

import type { EntityTypePath } from '../data-model/attributes'
import { ApiError } from '../errors'
import { getEntity, type Entity, type Value } from './entities'
import { updateEntity } from './write-entities'

/** Each attempt after the first follows a write to another attribute of the same record. */
const MAX_ATTEMPTS = 4

/** The values were changed by another write, which `entity` contains. */
export class ValueConflict extends Error {
  constructor(readonly entity: Entity) {
    super('Someone else changed this value. The latest version is shown.')
  }
}

export interface ValueChange {
  readonly attribute: string
  /** The values that the person saw when the edit began. */
  readonly seen: readonly Value[]
  readonly input: readonly unknown[]
}

/**
 * Every write raises the version of an entity, but only writes to the same attribute are in conflict. After a write to another
 * attribute, this write is retried.
 */
export async function writeValues(
  entityType: EntityTypePath,
  id: string,
  { attribute, seen, input }: ValueChange,
): Promise<Entity> {
  for (let attempt = 1; ; attempt += 1) {
    const { entity, version } = await getEntity(entityType, id)
    if (!isSame(seen, entity.values[attribute] ?? [])) throw new ValueConflict(entity)
    try {
      return await updateEntity(entityType, id, { [attribute]: input }, version)
    } catch (error) {
      const isVersionConflict = error instanceof ApiError && error.status === 412
      if (!isVersionConflict || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const isSame = (one: readonly Value[], other: readonly Value[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
