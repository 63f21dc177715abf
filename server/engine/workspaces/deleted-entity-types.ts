/**
 * Objects and activities that were deleted and can be restored. A deletion only marks them: their tables, and everything that refers to
 * them, stay as they are, and the data model hides them. The names of what is hidden are free meanwhile, because their columns have the id.
 * See docs/decisions/deleted-objects.md.
 */

import { sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import type { ModelChange } from '#engine/data-model/change-model'
import { controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { wholeModel } from '#engine/data-model/access/member-model'
import {
  type Attribute,
  type DataModel,
  hasRecords,
  type ListType,
  mayReferTo,
  type RecordType,
} from '#engine/data-model/model'
import { listsOf } from '#engine/storage/read-entities'
import { type Micros, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'

export interface RecordTypeNames {
  readonly api_slug: string
  readonly singular_noun: string
  readonly plural_noun: string
}

interface StoredNames extends RecordTypeNames {
  /** By the ids of lists and attributes. */
  readonly slugs: Readonly<Record<string, string>>
}

export interface DeletedRecordType {
  readonly id: string
  readonly deleted_at: string
  /** The number of the actor. */
  readonly deleted_by: number
  readonly expires_at: string
  readonly names: RecordTypeNames
}

/** What is deleted and restored with an object or an activity, beside its records. An activity has no lists. */
export interface RecordTypeParts {
  readonly lists: readonly ListType[]
  /** Attributes of other entity types that can refer to its records and to those of other deleted record types only. */
  readonly attributes: readonly Attribute[]
  /** Attributes of other entity types that can refer to its records, and to others. */
  readonly sharedAttributes: readonly Attribute[]
}

/** The model is a whole one. */
export function partsOf(model: DataModel, type: RecordType): RecordTypeParts {
  const lists = listsOf(model, type)
  const own = new Set([type, ...lists].map(({ id }) => id))
  const referring = [...model.attributesById.values()].filter(
    (attribute) => !own.has(attribute.entity_type_id) && mayReferTo(attribute, type),
  )
  const isOnlyTowards = (attribute: Attribute) =>
    targetsOf(attribute).length > 0 && targetsOf(attribute).every((id) => id === type.id || isDeleted(model, id))
  return {
    lists,
    attributes: referring.filter(isOnlyTowards),
    sharedAttributes: referring.filter((attribute) => !isOnlyTowards(attribute)),
  }
}

const targetsOf = ({ config }: Attribute): readonly string[] => config.record_reference?.allowed_object_ids ?? []

function isDeleted(model: DataModel, id: string): boolean {
  const type = model.entityTypesById.get(id)
  return type !== undefined && hasRecords(type) && type.isDeleted === true
}

interface TypeDeletion {
  readonly deletedAt: Micros
  readonly deletedBy: number
  readonly expiresAt: Micros
}

/** Marks an object or an activity as deleted, and frees the names of everything that is hidden with it. */
export async function hideRecordType(
  step: ModelChange,
  type: RecordType,
  { deletedAt, deletedBy, expiresAt }: TypeDeletion,
): Promise<void> {
  const { control, model } = step
  const { lists, attributes } = partsOf(wholeModel(model), type)
  const { api_slug, singular_noun, plural_noun } = type
  // The slug of what another deleted record type hides already is its id.
  const named = [...lists, ...attributes].filter((each) => each.api_slug !== each.id)
  const names: StoredNames = {
    api_slug,
    singular_noun,
    plural_noun,
    slugs: Object.fromEntries(named.map((each) => [each.id, each.api_slug])),
  }
  await control
    .insertInto('relata.deleted_entity_types')
    .values({
      workspace_id: model.workspace.id,
      entity_type_id: type.id,
      deleted_at: timestampFromMicros(deletedAt),
      deleted_by: deletedBy,
      expires_at: timestampFromMicros(expiresAt),
      due_at: timestampFromMicros(expiresAt),
      names: jsonb(names),
    })
    .execute()
  const { id } = type
  await saveNames(step, type, { api_slug: id, singular_noun: id, plural_noun: id })
  for (const list of lists) await saveSlug(step, list.id, list.id)
  for (const attribute of attributes) await saveAttributeSlug(step, attribute.id, attribute.id)
}

/**
 * Shows a deleted object or activity again under these names. A list or an attribute whose slug was given to another one meanwhile gets a free
 * slug. `model` is a whole one.
 */
export async function showRecordType(step: ModelChange, type: RecordType, names: RecordTypeNames): Promise<void> {
  const { control } = step
  const model = wholeModel(step.model)
  const { lists, attributes, sharedAttributes } = partsOf(model, type)
  const slugs = await readSlugs(step.tx, model)
  await control
    .deleteFrom('relata.deleted_entity_types')
    .where(equal({ workspace_id: model.workspace.id, entity_type_id: type.id }))
    .execute()
  await saveNames(step, type, names)
  const taken = new Set(model.entityTypes.flatMap((each) => (each.kind === 'list' ? each.api_slug : [])))
  for (const list of lists) {
    if (list.api_slug !== list.id) continue // another parent object of it was restored before
    const slug = freeSlug(taken, slugs.get(list.id) ?? list.api_slug)
    taken.add(slug)
    await saveSlug(step, list.id, slug)
  }
  for (const attribute of [...attributes, ...sharedAttributes]) {
    if (attribute.api_slug !== attribute.id) continue
    const others = model.entityTypesById.get(attribute.entity_type_id)?.attributes ?? []
    const slug = freeSlug(new Set(others.map((each) => each.api_slug)), slugs.get(attribute.id) ?? attribute.id)
    await saveAttributeSlug(step, attribute.id, slug)
  }
}

/** An attribute can be hidden by several deleted record types. The first deletion has its slug. */
async function readSlugs(tx: Transaction, { workspace }: DataModel): Promise<ReadonlyMap<string, string>> {
  const rows = await readDeleted(tx, workspace.id)
  return new Map(rows.flatMap(({ names }) => Object.entries(namesOf(names).slugs)))
}

const namesOf = (names: string): StoredNames => JSON.parse(names) as StoredNames // as `hideRecordType` inserted them

const MAX_SLUG = 63

function freeSlug(taken: ReadonlySet<string>, slug: string): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `_${number}`
    const free = slug.slice(0, MAX_SLUG - suffix.length) + suffix
    if (!taken.has(free)) return free
  }
}

/** The deleted objects or activities that can be restored at this time, the newest deletion first. */
export async function listDeletedRecordTypes(
  db: Sql | Transaction,
  { workspaceId, kind, now }: { readonly workspaceId: string; readonly kind: RecordType['kind']; readonly now: Micros },
): Promise<DeletedRecordType[]> {
  const at = timestampFromMicros(now)
  const rows = await readDeleted(db, workspaceId)
  return rows
    .filter((row) => row.kind === kind)
    .map(({ entity_type_id, deleted_at, deleted_by, expires_at, names }) => ({
      id: entity_type_id,
      deleted_at: timestampFromPostgres(deleted_at),
      deleted_by,
      expires_at: timestampFromPostgres(expires_at),
      names: namesOf(names),
    }))
    .filter(({ expires_at }) => expires_at > at)
}

const readDeleted = (db: Sql | Transaction, workspaceId: string) =>
  controlQueriesIn(db)
    .selectFrom('relata.deleted_entity_types as d')
    .innerJoin('relata.entity_types as e', (join) =>
      join.onRef('e.workspace_id', '=', 'd.workspace_id').onRef('e.id', '=', 'd.entity_type_id'),
    )
    .select(['d.entity_type_id', 'd.deleted_at', 'd.deleted_by', 'd.expires_at', 'd.names', 'e.kind'])
    .where('d.workspace_id', '=', workspaceId)
    .orderBy('d.deleted_at', 'desc')
    .orderBy('d.entity_type_id')
    .execute()

/** Lets a deleted object or activity expire now, so that it cannot be restored any more. */
export async function expireDeletedRecordType({ control, model }: ModelChange, id: string, now: Micros): Promise<void> {
  const at = timestampFromMicros(now)
  await control
    .updateTable('relata.deleted_entity_types')
    .set({ expires_at: at, due_at: at })
    .where(equal({ workspace_id: model.workspace.id, entity_type_id: id }))
    .where('expires_at', '>', at)
    .execute()
}

/**
 * Leaves a list to its further parent objects when this one is deleted for good. Shows the list again unless another of them is deleted.
 * Returns whether it does. `model` is a whole one.
 */
export async function removeParent(step: ModelChange, list: ListType, type: RecordType): Promise<boolean> {
  const { control, model } = step
  const others = list.parentObjects.filter(({ id }) => id !== type.id)
  const [first] = others
  if (first === undefined) throw new Error(`List ${list.id} has no other parent object.`)
  await control
    .updateTable('relata.lists')
    .set({ parent_object_id: first.id })
    .where(equal({ workspace_id: model.workspace.id, id: list.id }))
    .execute()
  if (others.some(({ id }) => isDeleted(model, id))) return false
  const slugs = await readSlugs(step.tx, model)
  const taken = new Set(model.entityTypes.flatMap((each) => (each.kind === 'list' ? each.api_slug : [])))
  await saveSlug(step, list.id, freeSlug(taken, slugs.get(list.id) ?? list.api_slug))
  return true
}

/** Keeps the slugs of attributes that the record type shares with other deleted ones, when it is deleted for good. */
export async function keepSlugs({ control, model }: ModelChange, type: RecordType): Promise<void> {
  const own = control
    .selectFrom('relata.deleted_entity_types as d')
    .select(sql<string>`d.names->'slugs'`.as('slugs'))
    .where(equal({ 'd.workspace_id': model.workspace.id, 'd.entity_type_id': type.id }))
  await control
    .updateTable('relata.deleted_entity_types')
    .set({ names: sql<string>`jsonb_set(names, '{slugs}', (names->'slugs') || (${own}))` })
    .where('workspace_id', '=', model.workspace.id)
    .where('entity_type_id', '<>', type.id)
    .execute()
}

const TABLES = { object: 'relata.objects', activity: 'relata.activities' } as const

/** Updates the slug and the nouns of an object or an activity. */
export async function saveNames(
  step: ModelChange,
  { id, kind }: Pick<RecordType, 'id' | 'kind'>,
  { api_slug, singular_noun, plural_noun }: RecordTypeNames,
): Promise<void> {
  await saveSlug(step, id, api_slug)
  await step.control
    .updateTable(TABLES[kind])
    .set({ singular_noun, plural_noun })
    .where(equal({ workspace_id: step.model.workspace.id, id }))
    .execute()
}

/** Updates the slug of an entity type. */
export async function saveSlug({ control, model }: ModelChange, id: string, api_slug: string): Promise<void> {
  await control
    .updateTable('relata.entity_types')
    .set({ api_slug })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}

async function saveAttributeSlug({ control, model }: ModelChange, id: string, api_slug: string): Promise<void> {
  await control
    .updateTable('relata.attributes')
    .set({ api_slug })
    .where(equal({ workspace_id: model.workspace.id, id }))
    .execute()
}
