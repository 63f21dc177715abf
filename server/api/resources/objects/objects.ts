/**
 * Reads, creates and changes objects, and checks their slugs and nouns.
 * See docs/reference/objects-and-attributes.md (Objects).
 */

import type { ApiContext, RequestContext } from '#context'
import { allocateNumbers, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { enabledObjects, getObject, getWritableObject, findObject } from '#engine/data-model/find'
import { type DataModel, hasRecords, type ObjectType, type RecordType } from '#engine/data-model/model'
import { OBJECT_ALIASES, qualifiedTableName } from '#engine/data-model/names'
import {
  nounConflict,
  objectQuotaExceeded,
  slugConflict,
  systemAttributeNotEditable,
  restoredNameConflict,
} from '#base/errors/attributes'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { insertObjects, insertTargetOf } from '#engine/workspaces/write-entity-types'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { CREATION_ATTRIBUTES, RECORD_ID_ATTRIBUTE } from '#engine/workspaces/standard-objects'
import type { ObjectChange, ObjectInput, ObjectOutput, DeletedObjectOutput, DeletionCounts } from './schemas'
import { emptyPayload, invalidBody, readId } from '#base/errors/http'
import { saveNames } from '#engine/workspaces/deleted-entity-types'
import {
  countOwnParts,
  deleteRecordType,
  deleteRecordTypeForGood,
  listTrashed,
  restoreRecordType,
} from '#api/entities/deletion'
import { wholeModel } from '#engine/data-model/access/member-model'
import { countAttachments } from '#engine/attachments/attachments'
import { listsOf } from '#engine/storage/read-entities'
import { countEntities } from '#engine/storage/statements/entity-type-statements'

const SYSTEM_ATTRIBUTES = [RECORD_ID_ATTRIBUTE, ...CREATION_ATTRIBUTES]

export async function createObject(context: ApiContext, input: ObjectInput): Promise<ObjectOutput> {
  refuseReservedSlug(input.api_slug)
  const created_at = timestampFromMicros(context.now())
  const { changed: id, model } = await changeModel(context, async (step) => {
    refuseTaken(step.model, input)
    refuseOverQuota(step.model, context.objectQuota)
    const object = await newObject(step, input, created_at)
    await insertObjects(insertTargetOf(step), [object])
    return object.id
  })
  return renderObject(model, getObject(model, id))
}

/** Deleted objects do not count. */
function refuseOverQuota(model: DataModel, quota: number): void {
  const custom = model.entityTypes.filter(
    (entityType) => entityType.kind === 'object' && entityType.standard_slug === null && !entityType.isDeleted,
  )
  if (custom.length >= quota) throw objectQuotaExceeded(quota)
}

async function newObject({ tx, model }: ModelChange, input: ObjectInput, created_at: string): Promise<ObjectType> {
  const number = await allocateNumbers(tx, model.workspace.id, 1 + SYSTEM_ATTRIBUTES.length)
  const id = newId()
  return {
    id,
    number,
    kind: 'object',
    api_slug: input.api_slug,
    singular_noun: input.singular_noun,
    plural_noun: input.plural_noun,
    standard_slug: null,
    is_enabled: true,
    created_at,
    table: qualifiedTableName(model.workspace.number, { kind: 'object', number }),
    attributes: SYSTEM_ATTRIBUTES.map((spec, index) =>
      buildAttribute(spec, { entity_type_id: id, number: number + 1 + index, created_at }),
    ),
  }
}

/**
 * Renames an object. The names of its tables have its number, so they do not change.
 * See docs/reference/objects-and-attributes.md (Objects).
 */
export async function updateObject(
  context: RequestContext,
  slugOrId: string,
  input: ObjectChange,
): Promise<ObjectOutput> {
  const { api_slug, singular_noun, plural_noun } = input
  if ([api_slug, singular_noun, plural_noun].every((member) => member === undefined)) throw emptyPayload()
  const { changed: id, model } = await changeModel(context, async (step) => {
    const object = getWritableObject(step.model, slugOrId)
    refuseSlugChange(object, api_slug)
    refuseTaken(step.model, input, object)
    await saveNames(step, object, {
      api_slug: api_slug ?? object.api_slug,
      singular_noun: singular_noun ?? object.singular_noun,
      plural_noun: plural_noun ?? object.plural_noun,
    })
    return object.id
  })
  return renderObject(model, getObject(model, id))
}

function refuseSlugChange(object: ObjectType, slug: string | undefined): void {
  if (slug === undefined || slug === object.api_slug) return
  if (object.standard_slug !== null)
    throw systemAttributeNotEditable('Cannot update a System attribute: the api_slug of a standard object is fixed.')
  refuseReservedSlug(slug)
}

// The rules for slugs and nouns of objects. See docs/reference/objects-and-attributes.md (Slugs, Objects).

/** `records` is part of the path of a search; the others are slugs and aliases of standard objects. */
const RESERVED_SLUGS = new Set(['records', ...OBJECT_ALIASES.keys(), ...OBJECT_ALIASES.values()])

/** Refuses slugs that no custom object may have. */
function refuseReservedSlug(slug: string | undefined): void {
  if (slug === undefined || !RESERVED_SLUGS.has(slug)) return
  const message = `"${slug}" is reserved and cannot be the slug of a custom object`
  throw invalidBody([{ code: 'invalid', path: ['data', 'api_slug'], message }])
}

/** Refuses a slug that another object or an activity has, and the nouns of another object, also of a disabled one. */
function refuseTaken(model: DataModel, input: ObjectChange, self?: ObjectType): void {
  const taken = findTakenName(model, input, self)
  if (taken?.member === 'api_slug') throw slugConflict(taken.kind, taken.value)
  if (taken !== undefined) throw nounConflict(taken.value)
}

const NAMES = ['api_slug', 'singular_noun', 'plural_noun'] as const

interface TakenName {
  readonly member: (typeof NAMES)[number]
  readonly value: string
  /** What has it. */
  readonly kind: RecordType['kind']
}

/** The first of the names that another object has, or of the slug that an activity has. */
function findTakenName(model: DataModel, input: ObjectChange, self?: ObjectType): TakenName | undefined {
  const others = model.entityTypes.filter(hasRecords).filter(({ id }) => id !== self?.id)
  for (const member of NAMES) {
    const value = input[member]
    const named = others.filter(({ kind }) => kind === 'object' || member === 'api_slug')
    const other = value === undefined ? undefined : named.find((each) => each[member] === value)
    if (value !== undefined && other !== undefined) return { member, value, kind: other.kind }
  }
  return undefined
}

// Lists and reads objects. Disabled standard objects are left out.
// See docs/reference/objects-and-attributes.md (Standard objects).

/** Returns the objects in the order of their creation. */
export const listObjects = ({ model }: RequestContext): ObjectOutput[] =>
  enabledObjects(model).map((object) => renderObject(model, object))

export const readObject = ({ model }: RequestContext, slugOrId: string): ObjectOutput =>
  renderObject(model, getObject(model, slugOrId))

/** Renders an object. See docs/reference/objects-and-attributes.md (Objects). */
const renderObject = (model: DataModel, object: ObjectType): ObjectOutput => ({
  id: { workspace_id: model.workspace.id, object_id: object.id },
  api_slug: object.api_slug,
  singular_noun: object.singular_noun,
  plural_noun: object.plural_noun,
  created_at: object.created_at,
})

// Deletes custom objects, lists those that can be restored, and restores them. See docs/reference/trash.md (Objects);
// docs/decisions/deleted-objects.md.

/**
 * Hides a custom object with its records, the lists of its records, and what refers to it, until it is restored or deleted for good.
 * Throws 400 for a standard object.
 */
export const deleteObject = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordType(context, (model) => getDeletableObject(model, slugOrId))

function getDeletableObject(model: DataModel, slugOrId: string): ObjectType {
  const object = getWritableObject(model, slugOrId)
  if (object.standard_slug !== null) throw systemAttributeNotEditable('Cannot delete a standard object.')
  return object
}

/** Counts what a deletion would hide, for a dry run. */
export async function countDeletion(context: ApiContext, slugOrId: string): Promise<DeletionCounts> {
  const { db, model } = context
  const object = getDeletableObject(model, slugOrId)
  const lists = listsOf(wholeModel(model), object)
  let entries = 0
  for (const list of lists) entries += await countEntities(db.sql, list)
  return {
    ...(await countOwnParts(context, object)),
    lists: lists.length,
    entries,
    ...(await countAttachments(db.sql, model.workspace.id, object.id)),
  }
}

/** Lets a deleted object expire, so that the worker deletes it for good. Throws 409 for an object that is not deleted. */
export const deleteObjectForGood = (context: ApiContext, slugOrId: string): Promise<void> =>
  deleteRecordTypeForGood(context, { kind: 'object', slugOrId }, findObject)

/** Shows the object again, with everything that was hidden with it. Throws 409 for a slug or a noun that another object has. */
export async function restoreObject(context: ApiContext, given: string, input: ObjectChange): Promise<ObjectOutput> {
  const id = readId('Object', given)
  const model = await restoreRecordType(context, { kind: 'object', id }, (current, stored) => {
    const names = { ...stored, ...input }
    refuseReservedSlug(input.api_slug)
    refuseTakenNames(current, names)
    refuseOverQuota(current, context.objectQuota)
    return names
  })
  return renderObject(model, getObject(model, id))
}

function refuseTakenNames(model: DataModel, names: ObjectInput): void {
  const taken = findTakenName(model, names)
  if (taken === undefined) return
  const { member, value, kind } = taken
  const conflict = member === 'api_slug' ? slugConflict(kind, value) : nounConflict(value)
  throw restoredNameConflict('object', conflict, member)
}

/** The deleted objects that the member sees, the newest deletion first. */
export async function listTrashedObjects(context: ApiContext): Promise<DeletedObjectOutput[]> {
  const workspace_id = context.model.workspace.id
  const deleted = await listTrashed(context, 'object')
  return deleted.map(({ id: object_id, ...members }) => ({ id: { workspace_id, object_id }, ...members }))
}
