/**
 * Reads, creates, changes and deletes objects, and checks their slugs and nouns.
 * See docs/reference/objects-and-attributes.md (Objects).
 */

import { sql as expression } from 'kysely'
import type { ApiContext, RequestContext } from '#context'
import { allocateNumbers, blockEntityWrites, changeModel, type ModelChange } from '#engine/data-model/change-model'
import { enabledObjects, entityTypeOf, getObject, getWritableObject } from '#engine/data-model/find'
import { type Attribute, type DataModel, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { OBJECT_ALIASES, qualifiedTableName } from '#engine/data-model/names'
import {
  nounConflict,
  objectNotEmpty,
  objectQuotaExceeded,
  slugConflict,
  systemAttributeNotEditable,
} from '#base/errors/attributes'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { insertObjects, insertTargetOf } from '#engine/workspaces/insert-entity-types'
import { buildAttribute } from '#engine/workspaces/build-attribute'
import { CREATION_ATTRIBUTES, RECORD_ID_ATTRIBUTE } from '#engine/workspaces/standard-objects'
import type { ObjectChange, ObjectInput, ObjectOutput } from './schemas'
import { emptyPayload, invalidBody } from '#base/errors/http'
import { auditList } from '#access/list-access/list-access'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import type { ChangeEvent } from '#vocabulary/event-types'
import { attributeEvents } from '#events/feed/model-events'
import { listsOf } from '#engine/storage/read-entities'
import { attributesReferringTo } from '#engine/storage/layout'
import { deleteEndedReferences, findReferringToObject } from '#engine/storage/statements/attribute-statements'
import { hasEntities } from '#engine/storage/statements/entity-type-statements'
import { updateEach } from '#engine/entities/relationships/relationships'
import { dropAttributes, dropEntityType } from '#engine/workspaces/drop-entity-types'

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

function refuseOverQuota(model: DataModel, quota: number): void {
  const custom = model.entityTypes.filter(
    (entityType) => entityType.kind === 'object' && entityType.standard_slug === null,
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

/**
 * Deletes a custom object with its records, its attributes, the lists of its records, and everything in other objects and
 * lists that refers to it. Deletion cannot be undone. See docs/reference/objects-and-attributes.md (Objects).
 */
export async function deleteObject(
  context: RequestContext,
  slugOrId: string,
  options: { force: boolean },
): Promise<void> {
  await changeModel(context, async (step) => {
    const object = getWritableObject(step.model, slugOrId)
    if (object.standard_slug !== null) throw systemAttributeNotEditable('Cannot delete a standard object.')
    await blockEntityWrites(step.tx, object)
    if (!options.force && (await hasEntities(step.tx, object))) throw objectNotEmpty(object.api_slug)
    await dropLists(context, step, object)
    await removeReferences(context, step, object)
    await dropEntityType(step, object)
  })
}

async function dropLists(context: RequestContext, step: ModelChange, object: ObjectType): Promise<void> {
  const lists = listsOf(step.model, object)
  for (const list of lists) {
    await blockEntityWrites(step.tx, list)
    await dropEntityType(step, list)
    await auditList(context, step, 'deleted', list)
  }
  const events = lists.map(({ id }): ChangeEvent => ({ event_type: 'list.deleted', id: { list_id: id } }))
  await appendToOutbox(step.tx, eventOriginOf(context), events)
}

/** Deletes attributes that can refer only to this object, and the values of other attributes that refer to its records. */
async function removeReferences(context: RequestContext, step: ModelChange, object: ObjectType): Promise<void> {
  const { model } = step
  const elsewhere = attributesOfOthers(model, object)
  for (const attribute of attributesReferringTo(model, object)) {
    if (isGone(model, attribute, object) || isOnlyTowards(attribute, object)) continue
    await blockEntityWrites(step.tx, entityTypeOf(model, attribute))
    await removeValues(step, attribute, object, context.now())
    await disallow(step, attribute, object)
    await attributeEvents(context, step, 'updated', [attribute])
  }
  await dropAttributes(
    step,
    elsewhere.filter((attribute) => isOnlyTowards(attribute, object)),
  )
}

const attributesOfOthers = (model: DataModel, object: ObjectType): Attribute[] =>
  [...model.attributesById.values()].filter((attribute) => !isGone(model, attribute, object))

/** Whether the attribute belongs to the object or to a list of its records. */
const isGone = (model: DataModel, attribute: Attribute, object: ObjectType): boolean =>
  [object, ...listsOf(model, object)].some(({ id }) => id === attribute.entity_type_id)

/** Hidden objects count as well. */
function isOnlyTowards({ config }: Attribute, object: ObjectType): boolean {
  const allowed = config.record_reference?.allowed_object_ids ?? []
  return allowed.length === 1 && allowed[0] === object.id
}

/** Deletes values that refer to the object's records, without history: a historic value could not name its object. */
async function removeValues(step: ModelChange, attribute: Attribute, object: ObjectType, now: number): Promise<void> {
  const { tx, model } = step
  const ids = await findReferringToObject(tx, model, attribute, object)
  await updateEach({ tx, model, stamp: { now, actor: SYSTEM_ACTOR } }, attribute, ids, (values) =>
    values.filter(({ stored }) => stored.target_object !== object.number),
  )
  await deleteEndedReferences(tx, model, attribute, object)
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

/** Refuses a slug and nouns that another object has, also a disabled one. */
function refuseTaken(model: DataModel, input: ObjectChange, self?: ObjectType): void {
  const { api_slug, singular_noun, plural_noun } = input
  for (const other of model.entityTypes) {
    if (other.kind !== 'object' || other.id === self?.id) continue
    if (other.api_slug === api_slug) throw slugConflict('object', api_slug)
    if (other.singular_noun === singular_noun) throw nounConflict(singular_noun)
    if (other.plural_noun === plural_noun) throw nounConflict(plural_noun)
  }
}

// The rows of objects, and of values that refer to their records.

/** Updates the slug and the nouns of an object. */
async function saveNames({ control, model }: ModelChange, object: ObjectType, names: ObjectInput): Promise<void> {
  const { api_slug, singular_noun, plural_noun } = names
  await control
    .updateTable('relata.entity_types')
    .set({ api_slug })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', object.id)
    .execute()
  await control
    .updateTable('relata.objects')
    .set({ singular_noun, plural_noun })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', object.id)
    .execute()
}

/** Removes the object from the allowed objects of an attribute that restricts them. */
async function disallow({ control, model }: ModelChange, attribute: Attribute, object: ObjectType): Promise<void> {
  const allowed = expression`(config #> '{record_reference,allowed_object_ids}')`
  await control
    .updateTable('relata.attributes')
    .set({
      config: expression<string>`jsonb_set(config, '{record_reference,allowed_object_ids}', ${allowed} - ${object.id}::text)`,
    })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', attribute.id)
    .where(expression<boolean>`${allowed} ? ${object.id}::text`)
    .execute()
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
