/** What a member does not see, in the model of the member. Nothing is hidden in other models. See docs/access.md (Access to objects). */

import { findClosest } from '#base/text/find-closest'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'

/** Whether the member does not see the object, or the object of the list. */
export function isHidden({ entityTypesById }: Pick<DataModel, 'entityTypesById'>, entityType: EntityType): boolean {
  const object = entityType.kind === 'object' ? entityType : entityTypesById.get(entityType.parent_object_id)
  return object?.kind === 'object' && object.restriction === 'hidden'
}

/**
 * Whether the member may know the name and the id of a part of the data model: an object, a list, or an attribute of one that the
 * member may know. What names parts that the request did not name, asks this function. It does not check access to lists.
 */
export function mayKnow(part: EntityType | Attribute): boolean {
  if ('kind' in part && part.kind === 'object') return part.restriction !== 'hidden'
  return part.isHidden !== true
}

/** The slug that is most like the word, of those parts that the member may know. */
export const closestSlug = (word: string, parts: Iterable<EntityType | Attribute>): string | undefined =>
  findClosest(
    word,
    [...parts].filter(mayKnow).map(({ api_slug }) => api_slug),
  )

/** Whether the member does not see the object with this id. */
export function isHiddenObjectId({ loaded, entityTypesById }: DataModel, id: string): boolean {
  const object = loaded && entityTypesById.get(id)
  return object?.kind === 'object' && object.restriction === 'hidden'
}

/** The ids of the objects that the member does not see. */
export const hiddenObjectIds = (model: DataModel): readonly string[] =>
  model.loaded === undefined ? NONE : model.entityTypes.flatMap(({ id }) => (isHiddenObjectId(model, id) ? [id] : NONE))

const NONE: readonly string[] = []

/** The links of a task or a meeting to records that the member may see. */
export const visibleLinks = <Link extends { readonly objectId: string }>(model: DataModel, links: readonly Link[]) =>
  model.loaded === undefined ? links : links.filter(({ objectId }) => !isHiddenObjectId(model, objectId))

const names = new WeakMap<DataModel, readonly string[]>()

/**
 * The ids of hidden objects, of their lists, and of attributes that refer to them only; and the member of a value that names a
 * hidden object. The JSON text of an event with one of these texts is hidden.
 */
export function hiddenNames(model: DataModel): readonly string[] {
  if (model.loaded === undefined) return NONE
  const cached = names.get(model)
  if (cached) return cached
  const entityTypes = model.entityTypes.filter((entityType) => isHidden(model, entityType))
  const attributes = [...model.attributesById.values()].filter(({ isHidden: hidden }) => hidden === true)
  const found = [
    ...[...entityTypes, ...attributes].map(({ id }) => id),
    ...entityTypes.map(({ api_slug }) => `"target_object":${JSON.stringify(api_slug)}`),
  ]
  names.set(model, found)
  return found
}

/** Whether the JSON text of an event names something hidden. */
export const namesHidden = (model: DataModel, text: string): boolean =>
  hiddenNames(model).some((name) => text.includes(name))
