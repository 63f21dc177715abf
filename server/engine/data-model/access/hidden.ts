/** What a member does not see, in the model of the member, and what is deleted, in every model. See docs/access.md (Access to objects). */

import { findClosest } from '#base/text/find-closest'
import { type Attribute, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'

type EntityTypesById = Pick<DataModel, 'entityTypesById'>

/** Whether the member does not see the object or the activity, or an object of the list. */
export const isHidden = (model: EntityTypesById, entityType: EntityType): boolean =>
  recordTypesOf(model, entityType).some(isHiddenType)

/** The record type itself, or the objects of the list. */
const recordTypesOf = ({ entityTypesById }: EntityTypesById, entityType: EntityType): readonly EntityType[] =>
  entityType.kind === 'list'
    ? entityType.parentObjects.flatMap(({ id }) => entityTypesById.get(id) ?? [])
    : [entityType]

const isHiddenType = (entityType: EntityType | undefined): boolean =>
  entityType !== undefined && hasRecords(entityType) && entityType.restriction === 'hidden'

/** Whether the object or the activity, or an object of the list, is deleted. False for one that is hidden from the member as well. */
export function isDeleted(model: EntityTypesById, entityType: EntityType): boolean {
  const hidden = recordTypesOf(model, entityType).filter((type) => isHiddenType(type) || isDeletedType(type))
  return hidden.length > 0 && hidden.every(isDeletedType)
}

const isDeletedType = (entityType: EntityType): boolean => hasRecords(entityType) && entityType.isDeleted === true

/**
 * Whether the member may know the name and the id of a part of the data model: an object, an activity, a list, or an attribute of one that the
 * member may know. What names parts that the request did not name, asks this function. It does not check access to lists.
 */
export function mayKnow(part: EntityType | Attribute): boolean {
  if ('kind' in part && hasRecords(part)) return part.restriction !== 'hidden'
  return !('isHidden' in part) || part.isHidden !== true
}

/** The slug that is most like the word, of those parts that the member may know. */
export const closestSlug = (word: string, parts: Iterable<EntityType | Attribute>): string | undefined =>
  findClosest(
    word,
    [...parts].filter(mayKnow).map(({ api_slug }) => api_slug),
  )

/** Whether the model may have hidden objects. */
const hides = ({ loaded, withDeleted }: DataModel): boolean => loaded !== undefined || withDeleted !== undefined

/** Whether the member does not see the object or the activity with this id. */
export function isHiddenObjectId(model: DataModel, id: string): boolean {
  return hides(model) && isHiddenType(model.entityTypesById.get(id))
}

/** The ids of the objects and activities that the member does not see. */
export const hiddenObjectIds = (model: DataModel): readonly string[] =>
  hides(model) ? model.entityTypes.flatMap(({ id }) => (isHiddenObjectId(model, id) ? [id] : NONE)) : NONE

const NONE: readonly string[] = []

/** The links of a task or a meeting to records that the member may see. */
export const visibleLinks = <Link extends { readonly objectId: string }>(model: DataModel, links: readonly Link[]) =>
  hides(model) ? links.filter(({ objectId }) => !isHiddenObjectId(model, objectId)) : links

const names = new WeakMap<DataModel, HiddenNames>()

interface HiddenNames {
  readonly all: readonly string[]
  /** Without those that are hidden only because they are deleted. */
  readonly ofMember: readonly string[]
}

/**
 * The ids of hidden objects and activities, of their lists, and of attributes that refer to them only; and the member of a value that names a
 * hidden object. A stored text with one of these texts names something hidden.
 */
export const hiddenNames = (model: DataModel): readonly string[] => findNames(model).all

/** The same without what is deleted: the events of an object stay as they are when it is deleted. */
export const namesHiddenFromMember = (model: DataModel): readonly string[] => findNames(model).ofMember

function findNames(model: DataModel): HiddenNames {
  const cached = names.get(model)
  if (cached) return cached
  const entityTypes = model.entityTypes.filter((entityType) => isHidden(model, entityType))
  const attributes = [...model.attributesById.values()].filter(({ isHidden: hidden }) => hidden === true)
  const found = {
    all: namesOf(entityTypes, attributes),
    ofMember: namesOf(
      entityTypes.filter((entityType) => !isDeleted(model, entityType)),
      attributes.filter(
        ({ computed, hiddenTargets = [] }) => computed || hiddenTargets.some((target) => target.isDeleted !== true),
      ),
    ),
  }
  names.set(model, found)
  return found
}

const namesOf = (entityTypes: readonly EntityType[], attributes: readonly Attribute[]): string[] => [
  ...[...entityTypes, ...attributes].map(({ id }) => id),
  ...entityTypes.map(({ api_slug }) => `"target_object":${JSON.stringify(api_slug)}`),
]

/** Whether a stored text names something hidden. */
export const namesHidden = (model: DataModel, text: string): boolean =>
  hiddenNames(model).some((name) => text.includes(name))

/** Whether the JSON text of an event names something that is hidden from the member of the model. */
export const isHiddenEvent = (model: DataModel, text: string): boolean =>
  namesHiddenFromMember(model).some((name) => text.includes(name))
