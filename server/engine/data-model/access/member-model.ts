/**
 * The data model as a member sees it. Functions that look up what a request names do not find hidden objects in it, and lists
 * of their records; see `../find.ts`. Its maps still have all entity types, because a write also changes hidden references to a
 * record that it deletes or merges. See docs/access.md (Access to objects); docs/decisions/access.md. Deleted objects and activities
 * are hidden in the same way from everyone; see docs/decisions/deleted-objects.md.
 */

import { createLru, type Lru } from '#base/caching/caching'
import {
  type Attribute,
  type DataModel,
  type EntityType,
  hasRecords,
  indexEntityTypes,
  mayReferTo,
  type ObjectType,
  type RecordType,
} from '#engine/data-model/model'
import { hideComputed } from '#engine/rollups/definition'
import { OBJECT_ACCESS, type ObjectAccess } from '#vocabulary/data-model'
import type { Viewer } from '#engine/data-model/viewer'

/** Members who are in the same teams share a model, so a workspace seldom has more. */
const MAX_MODELS = 20

/** The models of members, by the loaded model and by what is restricted. */
const models = new WeakMap<DataModel, Lru<string, DataModel>>()

/** Hides deleted objects and activities from everyone, also from the service itself. */
export function hideDeletedRecordTypes(model: DataModel): DataModel {
  const hasDeleted = model.entityTypes.some((entityType) => hasRecords(entityType) && entityType.isDeleted)
  return hasDeleted ? { ...withRestrictions(model, new Map()), withDeleted: model } : model
}

/** The model in which nothing is hidden: neither from a member, nor because it is deleted. */
export const wholeModel = (model: DataModel): DataModel => model.withDeleted ?? model.loaded ?? model

/** `memberId` is undefined for the service itself, which sees everything that is not deleted. Admins and members without restrictions share a model. */
export function modelOfMember(given: DataModel, memberId: string | undefined): DataModel {
  const model = given.loaded ?? given
  if (model.objectsWithGrants.length === 0 || memberId === undefined) return model
  const restricted = restrictionsOf(model, memberId)
  if (restricted.size === 0) return model
  const key = [...restricted].join()
  const ofModel = models.get(model) ?? createLru<string, DataModel>(MAX_MODELS)
  models.set(model, ofModel)
  const cached = ofModel.get(key)
  if (cached !== undefined) return cached
  const derived = deriveModel(model, restricted)
  ofModel.set(key, derived)
  return derived
}

/** The model as the viewer sees it. A viewer of a suspended member has no id, and the access of all members. */
export function modelOfViewer(model: DataModel, { kind, isAdmin, memberId }: Viewer): DataModel {
  if (kind === 'system' || (kind === 'workspace-member' && isAdmin === true)) return model.loaded ?? model
  return modelOfMember(model, memberId ?? NO_MEMBER)
}

/** The id of no member, who is in no team. */
const NO_MEMBER = ''

type Restrictions = ReadonlyMap<string, Exclude<ObjectAccess, 'read-write'>>

/** The access of the member to the objects that the member may not write, by id. */
function restrictionsOf(model: DataModel, memberId: string): Restrictions {
  const restricted = new Map<string, Exclude<ObjectAccess, 'read-write'>>()
  for (const object of model.objectsWithGrants) {
    const access = objectAccessOf(model, memberId, object)
    if (access !== 'read-write') restricted.set(object.id, access)
  }
  return restricted
}

const deriveModel = (loaded: DataModel, restricted: Restrictions): DataModel => ({
  ...withRestrictions(loaded, restricted),
  loaded,
})

/**
 * Copies all entity types, because layouts, renderers and statements are cached with them. An object that is hidden from the member
 * does not say whether it is deleted as well.
 */
function withRestrictions(model: DataModel, restricted: Restrictions): DataModel {
  const accessTo = ({ id, isDeleted }: RecordType) => (isDeleted ? 'hidden' : restricted.get(id))
  const hidden = model.entityTypes.filter(hasRecords).filter((each) => accessTo(each) === 'hidden')
  const hiddenIds = new Set(hidden.map(({ id }) => id))
  const entityTypes = model.entityTypes.map((entityType): EntityType => {
    const attributes = entityType.attributes.map((attribute) => withHiddenTargets(attribute, hidden))
    if (entityType.kind === 'list')
      return { ...entityType, attributes, isHidden: entityType.parentObjects.some(({ id }) => hiddenIds.has(id)) }
    if (entityType.kind === 'activity')
      return { ...entityType, attributes, ...(entityType.isDeleted && { restriction: 'hidden' }) }
    const access = accessTo(entityType)
    if (access === undefined) return { ...entityType, attributes }
    const { isDeleted, ...object } = entityType
    const isShownAsDeleted = isDeleted === true && restricted.get(entityType.id) !== 'hidden'
    return { ...object, attributes, restriction: access, ...(isShownAsDeleted && { isDeleted }) }
  })
  const listIds = entityTypes.flatMap((each) => (each.kind === 'list' && each.isHidden ? [each.id] : []))
  return { ...model, ...indexEntityTypes(hideComputed(entityTypes, new Set([...hiddenIds, ...listIds]))) }
}

function withHiddenTargets(attribute: Attribute, hidden: readonly RecordType[]): Attribute {
  const { record_reference } = attribute.config
  if (record_reference === undefined) return attribute // refers to no records
  const allowed = record_reference.allowed_object_ids ?? []
  const hiddenTargets = hidden.filter((each) => mayReferTo(attribute, each))
  if (hiddenTargets.length === 0) return attribute
  return { ...attribute, hiddenTargets, isHidden: hiddenTargets.length === allowed.length }
}

// The access of a member to objects. See docs/access.md (Access to objects).

/**
 * The access of a member. Admins have read-write access. Of several teams with a grant, the greatest grant counts; it replaces
 * the grant of all members, whether it is greater or less.
 */
export function objectAccessOf(model: DataModel, memberId: string, { grants }: ObjectType): ObjectAccess {
  if (grants === undefined || model.membersById.get(memberId)?.access_level === 'admin') return 'read-write'
  const ofTeams = grants.teams.filter(({ memberIds }) => memberIds.has(memberId)).map(({ access }) => access)
  return OBJECT_ACCESS.findLast((access) => ofTeams.includes(access)) ?? grants.members
}
