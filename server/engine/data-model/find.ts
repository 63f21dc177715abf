/** Looks up objects, activities, lists and attributes in a data model by slug or id. Builds the indexes for that once per model. */

import {
  activityNotFound,
  attributeNotFound,
  objectNotFound,
  objectReadOnly,
  standardObjectDisabled,
} from '#base/errors/attributes'
import { isObject } from '#base/validation/shapes'
import { closestSlug, isHidden, mayKnow } from './access/hidden'
import { OBJECT_ALIASES } from './names'
import {
  type ActivityType,
  type Attribute,
  type DataModel,
  type EntityType,
  type ListType,
  indexById,
  ModelVersionConflict,
  type ObjectType,
  type RecordType,
} from './model'

/** Finds an object that is not hidden, also a disabled one. A custom object takes precedence over an alias. */
export function findObject(model: DataModel, slugOrId: string): ObjectType | undefined {
  const { objects } = indexOf(model)
  return lookUp(objects, slugOrId) ?? objects.get(OBJECT_ALIASES.get(slugOrId) ?? '')
}

/** Returns an enabled object. Throws 404 for an unknown object, and 400 for a disabled one. */
export function getObject(model: DataModel, slugOrId: string): ObjectType {
  const object = findObject(model, slugOrId)
  if (!object) throw objectNotFound(slugOrId, closestSlug(slugOrId, enabledObjects(model)))
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object
}

/** The same, for a write. Throws 403 for an object that the member may only read. */
export function getWritableObject(model: DataModel, slugOrId: string): ObjectType {
  const object = getObject(model, slugOrId)
  requireWritable(object)
  return object
}

/** Throws 403 for an object that the member may only read. */
export function requireWritable(entityType: EntityType): void {
  if (entityType.kind === 'object' && entityType.restriction !== undefined) throw objectReadOnly(entityType.api_slug)
}

export const enabledObjects = (model: DataModel): ObjectType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ObjectType =>
      entityType.kind === 'object' && entityType.is_enabled && entityType.restriction !== 'hidden',
  )

/** All activities that are not deleted, in the order of their creation. */
export const activityTypes = (model: DataModel): ActivityType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ActivityType => entityType.kind === 'activity' && !isHidden(model, entityType),
  )

export const findActivity = (model: DataModel, slugOrId: string): ActivityType | undefined =>
  lookUp(indexOf(model).activities, slugOrId)

export function getActivity(model: DataModel, slugOrId: string): ActivityType {
  const activity = findActivity(model, slugOrId)
  if (!activity) throw activityNotFound(slugOrId, closestSlug(slugOrId, activityTypes(model)))
  return activity
}

/** The enabled objects and the activities. */
export const recordTypes = (model: DataModel): RecordType[] => [...enabledObjects(model), ...activityTypes(model)]

/** Finds an object or an activity; no two of them have the same slug. A disabled object is found as well. */
export const findRecordType = (model: DataModel, slugOrId: string): RecordType | undefined =>
  findObject(model, slugOrId) ?? findActivity(model, slugOrId)

/** Whether records can be written: those of a disabled object cannot. */
export const isEnabled = (entityType: EntityType | undefined): boolean =>
  entityType?.kind === 'activity' || (entityType?.kind === 'object' && entityType.is_enabled)

/** All lists of records of objects that are not hidden, in the order of their creation. Does not check access to lists. */
export const listTypes = (model: Pick<DataModel, 'entityTypes' | 'entityTypesById'>): ListType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ListType => entityType.kind === 'list' && !isHidden(model, entityType),
  )

/** Finds a list. Does not check access to lists. */
export const findList = (model: DataModel, slugOrId: string): ListType | undefined =>
  lookUp(indexOf(model).lists, slugOrId)

/** The attributes that a request can name. */
export const namedAttributes = ({ attributes }: EntityType): readonly Attribute[] => attributes.filter(mayKnow)

/** Finds an attribute, also an archived one, `updated_at` or `updated_by`. */
export const findAttribute = (entityType: EntityType, slugOrId: string): Attribute | undefined =>
  lookUp(attributesOf(entityType), slugOrId)

export function getAttribute(entityType: EntityType, slugOrId: string): Attribute {
  const attribute = findAttribute(entityType, slugOrId)
  if (!attribute) throw attributeNotFound(slugOrId, closestSlug(slugOrId, entityType.attributes))
  return attribute
}

/**
 * The attributes that clients read and write, in display order. Excludes archived ones and references to disabled or hidden
 * objects only; includes `updated_at` and `updated_by` if the workspace shows them. See docs/reference/values.md (The values of a record).
 */
export function visibleAttributes(model: DataModel, entityType: EntityType): readonly Attribute[] {
  const { visible } = indexOf(model)
  const cached = visible.get(entityType)
  if (cached) return cached
  const found = entityType.attributes.filter(
    (attribute) => !attribute.is_archived && isVisibleToClients(model, attribute),
  )
  visible.set(entityType, found)
  return found
}

/** Returns whether clients can see an attribute at all, archived or not. */
export const isVisibleToClients = (model: DataModel, attribute: Attribute): boolean =>
  attribute.isHidden !== true &&
  !isTowardsDisabled(model, attribute) &&
  (!isVirtual(attribute) || model.workspace.shows_updated_at)

/** True for `updated_at` and `updated_by`, which no control table has. */
export const isVirtual = (attribute: Attribute): boolean => attribute.number < 0

/** Whether the values of an attribute are the ids of its records. */
export const isRecordId = ({ api_slug, stored_in }: Pick<Attribute, 'api_slug' | 'stored_in'>): boolean =>
  stored_in === 'entity' && api_slug === 'record_id'

/** The ids of the objects and activities to whose records an attribute can refer. Empty means all objects. */
export function allowedObjectIds({ config, hiddenTargets }: AllowedTargets): readonly string[] {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  if (hiddenTargets === undefined) return allowed
  const visible = allowed.filter((allowedId) => hiddenTargets.every(({ id }) => id !== allowedId))
  // An attribute that can refer to hidden objects only is not visible. Without ids it could refer to all objects.
  return visible.length > 0 ? visible : allowed
}

type AllowedTargets = Pick<Attribute, 'config' | 'hiddenTargets'>

/** Whether an attribute can refer to records of an object or an activity. One that allows all objects allows no activity. */
export function allowsObject(attribute: AllowedTargets, { id, kind }: RecordType): boolean {
  const allowed = allowedObjectIds(attribute)
  return allowed.length === 0 ? kind === 'object' : allowed.includes(id)
}

function isTowardsDisabled(model: DataModel, attribute: Attribute): boolean {
  const allowed = allowedObjectIds(attribute)
  return allowed.length > 0 && allowed.every((id) => !isEnabled(model.entityTypesById.get(id)))
}

/** Whether a value of a default refers to a record of an object that was deleted. */
export function refersToDeleted(model: DataModel, value: unknown): boolean {
  if (!isObject(value) || typeof value.target_object !== 'string') return false
  return findRecordType(model, value.target_object) === undefined
}

/** The other side of a two-sided relationship. */
export const otherSideOf = (model: DataModel, attribute: Attribute): Attribute | undefined =>
  attribute.relationship_attribute_id === null
    ? undefined
    : model.attributesById.get(attribute.relationship_attribute_id)

/** The slug of the object or list with this id. Throws `ModelVersionConflict` for one that is newer than the model. */
export function slugOfEntityType(model: DataModel, id: string): string {
  const entityType = model.entityTypesById.get(id)
  if (entityType === undefined) throw new ModelVersionConflict(`Object ${id} is not in the data model.`)
  return entityType.api_slug
}

/** The entity type of an attribute. */
export function entityTypeOf(model: DataModel, attribute: Attribute): EntityType {
  const entityType = model.entityTypesById.get(attribute.entity_type_id)
  if (!entityType) throw new Error(`Attribute ${attribute.id} has no entity type in its data model.`)
  return entityType
}

/** The entity type of the other side of a two-sided relationship. */
export function otherEntityTypeOf(model: DataModel, attribute: Attribute): EntityType | undefined {
  const otherSide = otherSideOf(model, attribute)
  return otherSide && entityTypeOf(model, otherSide)
}

const UUID_LENGTH = 36

interface Finder<T> {
  get(slugOrId: string): T | undefined
}

/** Ids may be in upper case; slugs are case-sensitive. */
const lookUp = <T>(index: Finder<T>, slugOrId: string): T | undefined =>
  index.get(slugOrId) ?? (slugOrId.length === UUID_LENGTH ? index.get(slugOrId.toLowerCase()) : undefined)

interface ModelIndex {
  /** Keys are slugs and ids. */
  readonly objects: ReadonlyMap<string, ObjectType>
  readonly lists: ReadonlyMap<string, ListType>
  readonly activities: ReadonlyMap<string, ActivityType>
  readonly visible: Map<EntityType, readonly Attribute[]>
}

const indexes = new WeakMap<DataModel, ModelIndex>()
const attributeIndexes = new WeakMap<EntityType, Finder<Attribute>>()

function indexOf(model: DataModel): ModelIndex {
  const cached = indexes.get(model)
  if (cached) return cached
  const objects = model.entityTypes.filter(
    (entityType): entityType is ObjectType => entityType.kind === 'object' && !isHidden(model, entityType),
  )
  const lists = listTypes(model)
  const index: ModelIndex = {
    objects: bySlugAndId(objects),
    lists: bySlugAndId(lists),
    activities: activityIndex(model),
    visible: new Map(),
  }
  indexes.set(model, index)
  return index
}

function attributesOf(entityType: EntityType): Finder<Attribute> {
  const cached = attributeIndexes.get(entityType)
  if (cached) return cached
  const named = namedAttributes(entityType)
  const [byId, bySlug] = [indexById(named), new Map(named.map((attribute) => [attribute.api_slug, attribute]))]
  // A slug takes precedence.
  const index = { get: (slugOrId: string) => bySlug.get(slugOrId) ?? byId.get(slugOrId) }
  attributeIndexes.set(entityType, index)
  return index
}

/** A system activity is also found by its own slug, where the workspace had given that to an object before. */
function activityIndex(model: DataModel): ReadonlyMap<string, ActivityType> {
  const activities = activityTypes(model)
  const bySystemSlug = activities.map((activity) => [activity.system_slug ?? activity.id, activity] as const)
  return new Map([...bySystemSlug, ...bySlugAndId(activities)])
}

const bySlugAndId = <T extends { id: string; api_slug: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map([...items.map((item) => [item.id, item] as const), ...items.map((item) => [item.api_slug, item] as const)])

/** The ISO 8601 durations of default values and target times. See docs/reference/objects-and-attributes.md (Default values). */

/** Permits no sign, and requires at least one component. */
export const DURATION_PATTERN =
  '^P(?=[\\dT])(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+([.,]\\d+)?H)?(\\d+([.,]\\d+)?M)?(\\d+([.,]\\d+)?S)?)?$'
