/**
 * What look-ups and rollups are made of: the reference between the two entity types, and the attributes that a change of which changes their
 * values. See docs/decisions/rollups.md.
 */

import { entityTypeOf, otherSideOf } from '#engine/data-model/find'
import type { Attribute, Computed, DataModel, EntityType } from '#engine/data-model/model'

type Attributes = Pick<DataModel, 'attributesById'>

/** Whether a worker computes the values. */
export const isRolledUp = ({ stored_in }: Attribute): boolean => stored_in === 'worker'

/** Which entities the values of a look-up or rollup come from. */
export interface Relation {
  /** Their entity type. */
  readonly other: EntityType
  /** The attribute with the columns that refer from one to the other. */
  readonly reference: Attribute
  /** Whether the entity with the value has these columns; otherwise the other ones refer to it. */
  readonly isForward: boolean
}

/** Undefined for a definition that names something which does not exist, as only a damaged import has it. */
export function relationOf(model: DataModel, { lookup, rollup }: Computed): Relation | undefined {
  const named = model.attributesById.get(lookup?.reference ?? rollup?.through ?? '')
  const of = lookup === undefined ? named : model.attributesById.get(lookup.attribute)
  const partner = named && otherSideOf(model, named)
  if (named === undefined || of === undefined) return undefined
  const isOwn = lookup !== undefined
  const other = entityTypeOf(model, of)
  if (named.stored_in !== 'partner') return { other, reference: named, isForward: isOwn }
  return partner && { other, reference: partner, isForward: !isOwn }
}

/** The ids of the attributes that the definition names. */
export function namedIdsOf({ formula = [], lookup, rollup }: Computed): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const part of formula) if (typeof part !== 'string') ids.add(part.attribute)
  if (lookup !== undefined) ids.add(lookup.reference).add(lookup.attribute)
  if (rollup === undefined) return ids
  ids.add(rollup.through)
  if (rollup.of !== undefined) ids.add(rollup.of)
  for (const id of idsIn(rollup.filter)) ids.add(id)
  return ids
}

/** The names in a stored filter, which are ids. */
function idsIn(filter: unknown): string[] {
  if (Array.isArray(filter)) return filter.flatMap(idsIn)
  if (typeof filter !== 'object' || filter === null) return []
  return Object.entries(filter).flatMap(([key, value]) => (key.startsWith('$') ? idsIn(value) : [key]))
}

/** The attributes that the definition names, of all entity types. Those of a damaged import may be absent. */
export const namedBy = ({ attributesById }: Attributes, { computed }: Pick<Attribute, 'computed'>): Attribute[] =>
  computed ? [...namedIdsOf(computed)].flatMap((id) => attributesById.get(id) ?? []) : []

/** The computed attributes whose definitions name the attribute. */
export const namingAttribute = (model: Attributes, { id }: Attribute): Attribute[] =>
  [...model.attributesById.values()].filter(({ computed }) => computed != null && namedIdsOf(computed).has(id))

/**
 * The ids of the attributes whose changes change the value: those that the definition names, and those that formulas among them name. A
 * change of a look-up or rollup is followed by a request of its own.
 */
export function watchedIds(model: Attributes, attribute: Attribute): ReadonlySet<string> {
  const watched = new Set<string>()
  const add = (each: Attribute): void => {
    for (const named of namedBy(model, each)) {
      if (watched.has(named.id)) continue
      watched.add(named.id)
      if (named.stored_in === 'formula') add(named)
    }
  }
  add(attribute)
  return watched
}

const followed = new WeakMap<EntityType, ReadonlySet<string>>()

/**
 * The ids of the look-ups and rollups of an entity type whose changes are writes, with a version: those that have history and events, and
 * those from which formulas with history and events follow.
 */
export function followedRollups(model: Attributes, entityType: EntityType): ReadonlySet<string> {
  const cached = followed.get(entityType)
  if (cached) return cached
  const tracked = entityType.attributes.filter(({ computed, has_history }) => computed && has_history)
  const named = tracked.flatMap((attribute) =>
    isRolledUp(attribute) ? attribute.id : [...watchedIds(model, attribute)],
  )
  const own = new Set(entityType.attributes.filter(isRolledUp).map(({ id }) => id))
  const ids = own.intersection(new Set(named))
  followed.set(entityType, ids)
  return ids
}

/** Other rollups have a number or a time of several entities, which says nothing of one. */
export const isList = ({ computed }: Pick<Attribute, 'computed'>): boolean => computed?.rollup?.function === 'list'

/** The look-ups, rollups of the function `list` and formulas over them, which show texts of other entities; without those whose changes have history. */
export function textsOfOthers(model: Attributes, entityType: EntityType): Attribute[] {
  if (!entityType.attributes.some(isRolledUp)) return []
  const followedIds = followedRollups(model, entityType)
  const copied = entityType.attributes.filter(
    (each) => (each.computed?.lookup || isList(each)) && !followedIds.has(each.id),
  )
  const isOver = (each: Attribute) => {
    const watched = watchedIds(model, each)
    return copied.some(({ id }) => watched.has(id))
  }
  return [...copied, ...entityType.attributes.filter((each) => each.stored_in === 'formula' && isOver(each))]
}

/**
 * The path from an attribute over the computed attributes that name each other back to it, as slugs; undefined without such a cycle.
 * `computed` is the definition that the attribute is to get. Attributes of other entity types have the slug of these before their own.
 */
export function findCycle(model: DataModel, attribute: Attribute, computed: Computed): string[] | undefined {
  const nameOf = (each: Attribute) =>
    each.entity_type_id === attribute.entity_type_id
      ? each.api_slug
      : `${entityTypeOf(model, each).api_slug}.${each.api_slug}`
  const visited = new Set<string>()
  const search = (from: Attribute, path: string[]): string[] | undefined => {
    const named = namedBy(model, from)
    if (named.some(({ id }) => id === attribute.id)) return [...path, attribute.api_slug]
    for (const next of named) {
      if (visited.has(next.id)) continue
      visited.add(next.id)
      const found = search(next, [...path, nameOf(next)])
      if (found) return found
    }
    return undefined
  }
  return search({ ...attribute, computed }, [attribute.api_slug])
}

/**
 * Hides the computed attributes that show something of hidden entity types: look-ups and rollups, and formulas that name these. An attribute
 * may always name attributes of its own entity type.
 */
export function hideComputed(
  entityTypes: readonly EntityType[],
  hiddenIds: ReadonlySet<string>,
): readonly EntityType[] {
  if (!entityTypes.some(({ attributes }) => attributes.some(({ computed }) => computed))) return entityTypes
  const attributesById = new Map(entityTypes.flatMap(({ attributes }) => attributes.map((each) => [each.id, each])))
  const found = new Map<string, boolean>()
  const isReaching = (attribute: Attribute): boolean => {
    const known = found.get(attribute.id)
    if (known !== undefined) return known
    found.set(attribute.id, false) // ends a cycle, which only a damaged import has
    const reaches = namedBy({ attributesById }, attribute).some((named) => {
      const isElsewhere = named.entity_type_id !== attribute.entity_type_id
      return named.isHidden === true || (isElsewhere && hiddenIds.has(named.entity_type_id)) || isReaching(named)
    })
    found.set(attribute.id, reaches)
    return reaches
  }
  return entityTypes.map((entityType) => {
    const { attributes } = entityType
    if (!attributes.some((attribute) => attribute.computed && isReaching(attribute))) return entityType
    return {
      ...entityType,
      attributes: attributes.map((each) => (each.computed && isReaching(each) ? { ...each, isHidden: true } : each)),
    }
  })
}
