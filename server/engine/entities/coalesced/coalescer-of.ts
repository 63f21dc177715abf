/** The coalescers of a data model, so of one version with the access of one group of members. */

import { createLru, type Lru } from '#base/caching/lru'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { storesReferences } from '#engine/storage/references'
import { attributesNamed } from '#engine/entities/write/assignments'
import type { Coalescer } from './coalescer'

/** Coalescers by key, for each data model. One that is forgotten still ends its writes. */
export type Coalescers<Input, Output> = WeakMap<DataModel, Lru<string, Coalescer<Input, Output>>>

const MAX_COALESCERS = 100

export function coalescerOf<Input, Output>(
  coalescers: Coalescers<Input, Output>,
  model: DataModel,
  key: string,
  create: () => Coalescer<Input, Output>,
): Coalescer<Input, Output> {
  const ofModel = coalescers.get(model) ?? createLru<string, Coalescer<Input, Output>>(MAX_COALESCERS)
  coalescers.set(model, ofModel)
  const coalescer = ofModel.get(key) ?? create()
  ofModel.set(key, coalescer)
  return coalescer
}

/** A longer body has large values, which would make a statement of many writes too large. */
const MAX_VALUES_LENGTH = 10_000

/**
 * Writes with the same key may share a statement: one actor assigns values of the same attributes, which belong to their entities alone.
 * Undefined for a write that is part of a transaction, or that locks other entities.
 */
export function coalescingKey(
  { db, model, actor }: RequestContext,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  if (db.isInTransaction || (actor !== SYSTEM_ACTOR && !model.actors.has(actor))) return undefined
  const attributes = attributesNamed(entityType, values)
  if (!attributes.every(isOwn) || JSON.stringify(values).length > MAX_VALUES_LENGTH) return undefined
  const numbers = attributes.map(({ number }) => number).sort((a, b) => a - b)
  return `${actor} ${entityType.id} ${numbers.join()}`
}

/** Whether the values name no other entity. */
export const isOwn = (attribute: Attribute): boolean =>
  attribute.stored_in === 'columns' && !storesReferences(attribute) && attribute.relationship_attribute_id === null
