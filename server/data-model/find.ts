/** Looks up objects, lists and attributes in a data model by slug or id. Builds the indexes for that once per model. */

import { attributeNotFound, objectNotFound, standardObjectDisabled } from '../errors/errors'
import { closest } from './find-closest'
import type { Attribute, DataModel, ListOwner, ObjectOwner, Owner } from './model'

export { closest } from './find-closest'

/**
 * Aliases of the standard objects, which older clients use in paths and in `allowed_objects`. Spec: standard-objects
 * 1.
 */
export const OLD_ALIASES: ReadonlyMap<string, string> = new Map([
  ['person', 'people'],
  ['company', 'companies'],
  ['deal', 'deals'],
  ['user', 'users'],
  ['workspace', 'workspaces'],
])

/** Finds an object, also a disabled one. A custom object takes precedence over an alias. */
export function findObject(model: DataModel, slugOrId: string): ObjectOwner | undefined {
  const { objects } = indexOf(model)
  return lookUp(objects, slugOrId) ?? objects.get(OLD_ALIASES.get(slugOrId) ?? '')
}

/** Returns an enabled object. Throws 404 for an unknown object, and 400 for a disabled one. */
export function getObject(model: DataModel, slugOrId: string): ObjectOwner {
  const object = findObject(model, slugOrId)
  if (!object) throw objectNotFound(slugOrId, closest(slugOrId, slugsOf(enabledObjects(model))))
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object
}

export const enabledObjects = (model: DataModel): ObjectOwner[] =>
  model.owners.filter((owner): owner is ObjectOwner => owner.kind === 'object' && owner.is_enabled)

/** Finds a list. Does not check access. */
export const findList = (model: DataModel, slugOrId: string): ListOwner | undefined =>
  lookUp(indexOf(model).lists, slugOrId)

/** Finds an attribute, also an archived one, `updated_at` or `updated_by`. */
export const findAttribute = (owner: Owner, slugOrId: string): Attribute | undefined =>
  lookUp(attributesOf(owner), slugOrId)

export function getAttribute(owner: Owner, slugOrId: string): Attribute {
  const attribute = findAttribute(owner, slugOrId)
  if (!attribute) throw attributeNotFound(slugOrId, closest(slugOrId, slugsOf(owner.attributes)))
  return attribute
}

/**
 * The attributes that clients read and write, in display order. Excludes archived ones and references to disabled objects
 * only; includes `updated_at` and `updated_by` if the workspace shows them. Spec: values 1.1, standard-objects 1 and 2.
 */
export function visibleAttributes(model: DataModel, owner: Owner): readonly Attribute[] {
  const { visible } = indexOf(model)
  const cached = visible.get(owner)
  if (cached) return cached
  const found = owner.attributes.filter((attribute) => !attribute.is_archived && isListed(model, attribute))
  visible.set(owner, found)
  return found
}

/** Returns whether clients can see an attribute at all, archived or not. */
export const isListed = (model: DataModel, attribute: Attribute): boolean =>
  !isTowardsDisabled(model, attribute) && (!isVirtual(attribute) || model.workspace.shows_updated_at)

/** True for `updated_at` and `updated_by`, which no control table has. */
export const isVirtual = (attribute: Attribute): boolean => attribute.number < 0

function isTowardsDisabled(model: DataModel, { config }: Attribute): boolean {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return allowed.length > 0 && allowed.every((id) => !isEnabled(model.ownersById.get(id)))
}

const isEnabled = (owner: Owner | undefined): boolean => owner?.kind === 'object' && owner.is_enabled

/** The other side of a two-sided relationship. */
export const partnerOf = (model: DataModel, attribute: Attribute): Attribute | undefined =>
  attribute.relationship_attribute_id === null
    ? undefined
    : model.attributesById.get(attribute.relationship_attribute_id)

/** The entity type of an attribute. */
export function ownerOf(model: DataModel, attribute: Attribute): Owner {
  const owner = model.ownersById.get(attribute.owner_id)
  if (!owner) throw new Error(`Attribute ${attribute.id} has no owner in its own data model.`)
  return owner
}

const UUID_LENGTH = 36

/** Ids may be in upper case; slugs are case-sensitive. */
const lookUp = <T>(index: ReadonlyMap<string, T>, slugOrId: string): T | undefined =>
  index.get(slugOrId) ?? (slugOrId.length === UUID_LENGTH ? index.get(slugOrId.toLowerCase()) : undefined)

interface ModelIndex {
  /** Keys are slugs and ids. */
  readonly objects: ReadonlyMap<string, ObjectOwner>
  readonly lists: ReadonlyMap<string, ListOwner>
  readonly visible: Map<Owner, readonly Attribute[]>
}

const indexes = new WeakMap<DataModel, ModelIndex>()
const attributeIndexes = new WeakMap<Owner, ReadonlyMap<string, Attribute>>()

function indexOf(model: DataModel): ModelIndex {
  const cached = indexes.get(model)
  if (cached) return cached
  const objects = model.owners.filter((owner): owner is ObjectOwner => owner.kind === 'object')
  const lists = model.owners.filter((owner): owner is ListOwner => owner.kind === 'list')
  const index: ModelIndex = { objects: bySlugAndId(objects), lists: bySlugAndId(lists), visible: new Map() }
  indexes.set(model, index)
  return index
}

function attributesOf(owner: Owner): ReadonlyMap<string, Attribute> {
  const cached = attributeIndexes.get(owner)
  if (cached) return cached
  const index = bySlugAndId(owner.attributes)
  attributeIndexes.set(owner, index)
  return index
}

const bySlugAndId = <T extends { id: string; api_slug: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map([...items.map((item) => [item.id, item] as const), ...items.map((item) => [item.api_slug, item] as const)])

const slugsOf = (items: readonly { api_slug: string }[]): string[] => items.map(({ api_slug }) => api_slug)
