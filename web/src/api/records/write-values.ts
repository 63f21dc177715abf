/** Writes values only over those the writer saw. */

import type { EntityTypePath } from '../data-model/attributes'
import { ApiError } from '../errors'
import { getEntity, type Entity, updateEntity, type Value } from './entities'

/** How often somebody else's write to another attribute may come between. */
const TRIES = 4

/** Somebody else changed these values meanwhile; `entity` has theirs. */
export class ValueConflict extends Error {
  constructor(readonly entity: Entity) {
    super('Someone else changed this value. The latest version is shown.')
  }
}

export interface ValueChange {
  readonly attribute: string
  /** What was shown when the writing began. */
  readonly seen: readonly Value[]
  readonly input: readonly unknown[]
}

/**
 * The version of an entity changes with any of its values, but only changes of the same attribute are in conflict: after
 * others, the write is tried again.
 */
export async function writeValues(
  entityType: EntityTypePath,
  id: string,
  { attribute, seen, input }: ValueChange,
): Promise<Entity> {
  for (let tries = 1; ; tries += 1) {
    const { entity, version } = await getEntity(entityType, id)
    if (!isSame(seen, entity.values[attribute] ?? [])) throw new ValueConflict(entity)
    try {
      return await updateEntity(entityType, id, { [attribute]: input }, version)
    } catch (error) {
      const isOutdated = error instanceof ApiError && error.status === 412
      if (!isOutdated || tries === TRIES) throw error
    }
  }
}

const isSame = (one: readonly Value[], other: readonly Value[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
