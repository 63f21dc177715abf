/**
 * Merges two records into a new one. The primary's single values win, the secondary's fill gaps, lists are joined; what
 * referred to either refers to the new record; both originals are gone. See docs/reference/records.md (Merge).
 */

import type { Transaction } from '../../../db/connect'
import { attributeType } from '../../attribute-types/registry'
import type { RequestContext } from '../../call'
import { entityTypeOf } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import type { ChangeEvent } from '../../events/event-types'
import { mergeRecordNotFound } from '../../errors/errors'
import { newId } from '../../ids'
import { timestampFromMicros } from '../../timing/clock'
import type { Stamp } from './apply-values'
import { batchesReferringTo } from '../../storage/batches'
import { entityChange } from '../../storage/entity-change'
import { insertContents } from './create-entity'
import { forgetMirrors, forgetEntities, lockForDeletion } from './delete-entity'
import { clearHistory } from '../../storage/history'
import { type StoredEntity, lockEntities } from '../../storage/read-entities'
import { listsOf, parentClaim } from '../../storage/parent'
import { attributesReferringTo } from '../../storage/references'
import { entitiesReferringTo, isOneToOne, updateEach, type Writing } from '../relationships/relationships'
import { serialiseWrites } from './serialise-writes'
import { ofOthers, onlyOnce, tellPartners } from './change-events'
import { updateEntity } from '../../storage/statements/update-entity'
import { provenanceEntries, storedIn, type Version } from '../../storage/provenance'
import { VersionConflict } from './save-change'

/** The two records and the id of the one they become. */
interface Merge {
  readonly primary: StoredEntity
  readonly secondary: StoredEntity
  readonly newId: string
}

/**
 * Merges in one transaction and answers the new record's id. Told are the merge, once for each original, and the records
 * that neither has a relationship with any more. Throws 404 `value_not_found` for a record that does not
 * exist, `VersionConflict` for `attempt`.
 */
export async function mergeEntities(
  context: RequestContext,
  object: ObjectType,
  primaryId: string,
  secondaryId: string,
): Promise<string> {
  const { model } = context
  return serialiseWrites(context, async (tx) => {
    const held = await lockForDeletion(tx, model, object, [primaryId, secondaryId])
    const [primary, secondary] = [primaryId, secondaryId].map((id) => {
      const entity = held.find((each) => each.id === id)
      if (!entity) throw mergeRecordNotFound(id)
      return entity
    }) as [StoredEntity, StoredEntity] // one for each of the two ids
    const merge = { primary, secondary, newId: newId() }
    const stamp = { now: context.now(), actor: context.actor }
    const moving = { tx, model, stamp, told: tellLost(model, object, merge) }
    const lost = await lostSelfReferences(tx, model, object, merge)
    await moveHistory(tx, model, object, merge)
    await forgetEntities(tx, model, object, [primary, secondary])
    await insertMerged(tx, model, object, merge, lost)
    await moveEntries(moving, object, merge)
    await moveReferences(moving, object, merge)
    for (const { id } of [primary, secondary]) await forgetMirrors(tx, model, object, id)
    await rememberMerge(tx, model, merge, stamp)
    const others = onlyOnce(ofOthers(moving.told, [primaryId, secondaryId, merge.newId]))
    await appendToOutbox(tx, eventOriginOf(context, stamp.now), [...tellMerged(object, merge), ...others])
    return merge.newId
  })
}

const tellMerged = (object: ObjectType, { primary, secondary, newId }: Merge): ChangeEvent[] =>
  [primary, secondary].map((original) => ({
    event_type: 'record.merged',
    id: { object_id: object.id, record_id: newId },
    duplicate_object_id: object.id,
    duplicate_record_id: original.id,
  }))

/** The records that an original refers to and the new record does not: its value lost against the primary's. */
function tellLost(model: DataModel, object: ObjectType, merge: Merge): ChangeEvent[] {
  const told: ChangeEvent[] = []
  const targetsOf = (versions: readonly Version[]) =>
    new Set(versions.map(({ stored }) => String(stored.target_record_id)))
  for (const attribute of columnAttributes(object)) {
    if (attribute.relationship_attribute_id === null) continue
    const had = [merge.primary, merge.secondary].flatMap((original) => original.versionsOf(attribute))
    tellPartners(told, model, attribute, targetsOf(had).difference(targetsOf(joined(attribute, merge))))
  }
  return told
}

const columnAttributes = (object: ObjectType): Attribute[] =>
  object.attributes.filter(({ stored_in }) => stored_in === 'columns')

const fromPrimary = (attribute: Attribute, { primary }: Merge): boolean => primary.versionsOf(attribute).length > 0

/** The history of values that live on follows them; that of a single value which lost ends with its record. */
async function moveHistory(tx: Transaction, model: DataModel, object: ObjectType, merge: Merge): Promise<void> {
  for (const attribute of columnAttributes(object)) {
    const kept = fromPrimary(attribute, merge) ? merge.primary : merge.secondary
    const lost = kept === merge.primary ? merge.secondary : merge.primary
    if (!attribute.is_multiselect) await clearHistory(tx, model, attribute, lost.id)
  }
  await tx.unsafe(`update ${model.schema}.history set entity_id = $1 where entity_id = any($2::uuid[])`, [
    merge.newId,
    bothIds(merge),
  ])
}

/**
 * The one-to-one attributes by which the two would refer to what they become, while another record refers to one of them:
 * only one record may refer to the new one.
 */
async function lostSelfReferences(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  { primary, secondary }: Merge,
): Promise<ReadonlySet<Attribute>> {
  const lost = new Set<Attribute>()
  for (const attribute of columnAttributes(object).filter((each) => isOneToOne(model, each))) {
    for (const original of [primary, secondary]) {
      const referring = await entitiesReferringTo(tx, model, attribute, original.id)
      if (referring.some((id) => id !== primary.id && id !== secondary.id)) lost.add(attribute)
    }
  }
  return lost
}

async function insertMerged(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  merge: Merge,
  lost: ReadonlySet<Attribute>,
): Promise<void> {
  const older = merge.primary.created.at <= merge.secondary.created.at ? merge.primary : merge.secondary
  const contents = columnAttributes(object)
    .map((attribute) => ({ attribute, versions: withoutLost(attribute, joined(attribute, merge), merge, lost) }))
    .filter(({ versions }) => versions.length > 0)
    .map(({ attribute, versions }) => {
      return { attribute, values: storedIn(versions), entries: provenanceEntries(versions, older.created) }
    })
  const merged = { id: merge.newId, created: older.created, contents }
  await insertContents(tx, model, object, merged, { targets: [], answer: 'id' })
}

/** The values of both, the primary's first; references to either of the two become references to the new record. */
function joined(attribute: Attribute, merge: Merge): Version[] {
  const first = merge.primary.versionsOf(attribute)
  const second = merge.secondary.versionsOf(attribute)
  if (!attribute.is_multiselect) return redirect(attribute, first.length > 0 ? first : second, merge)
  return redirect(attribute, [...first, ...second], merge)
}

const withoutLost = (attribute: Attribute, versions: Version[], { newId }: Merge, lost: ReadonlySet<Attribute>) =>
  lost.has(attribute) ? versions.filter(({ stored }) => stored.target_record_id !== newId) : versions

/** Versions with references to the originals replaced; what becomes the same collapses into the first. */
function redirect(attribute: Attribute, versions: readonly Version[], { primary, secondary, newId }: Merge): Version[] {
  const { key } = attributeType(attribute.type)
  const next = new Map<string, Version>()
  for (const version of versions) {
    const target = version.stored.target_record_id
    const moved = target === primary.id || target === secondary.id
    const redirected = moved ? { ...version, stored: { ...version.stored, target_record_id: newId } } : version
    const valueKey = key(redirected.stored)
    if (!next.has(valueKey)) next.set(valueKey, redirected)
  }
  return [...next.values()]
}

/** Two entries of one list stay two: each has values of its own. */
async function moveEntries({ tx, model, stamp }: Writing, object: ObjectType, merge: Merge): Promise<void> {
  for (const list of listsOf(model, object)) {
    // Nobody asks for the entry of a record that is gone.
    const { attribute } = parentClaim(list, merge.newId)
    const unclaim = `delete from ${model.schema}.uniques where attribute = $1 and key = any($2::text[])`
    await tx.unsafe(unclaim, [attribute, bothIds(merge)])
    await tx.unsafe(
      `update ${list.table} set parent_record_id = $1, version = version + 1, updated_at = $3, updated_by = $4
       where parent_record_id = any($2::uuid[])`,
      [merge.newId, bothIds(merge), timestampFromMicros(stamp.now), stamp.actor],
    )
  }
}

async function moveReferences(moving: Writing, object: ObjectType, merge: Merge): Promise<void> {
  const { tx, model } = moving
  for (const attribute of attributesReferringTo(model, object)) {
    const redirected = isOneToOne(model, attribute) ? await keepOneReference(moving, attribute, merge) : bothIds(merge)
    if (attribute.is_multiselect) await moveInLists(moving, attribute, merge)
    else await moveSingles(moving, attribute, merge)
    await tx.unsafe(
      `update ${model.schema}.history set value = jsonb_set(value, '{target_record_id}', to_jsonb($1::text))
       where attribute = $2 and value ? 'target_record_id' and value->>'target_record_id' = any($3::text[])`,
      [merge.newId, attribute.number, redirected],
    )
  }
}

/**
 * A one-to-one that both originals had: the entity that refers to the secondary loses it. Answers whose past the new
 * record takes over, as an array for SQL; two would overlap.
 */
async function keepOneReference(moving: Writing, attribute: Attribute, { primary, secondary }: Merge): Promise<string> {
  const ofPrimary = await entitiesReferringTo(moving.tx, moving.model, attribute, primary.id)
  const ofSecondary = await entitiesReferringTo(moving.tx, moving.model, attribute, secondary.id)
  if (ofPrimary.length > 0) await updateEach(moving, attribute, ofSecondary, () => [])
  return ofPrimary.length === 0 && ofSecondary.length > 0 ? `{${secondary.id}}` : `{${primary.id}}`
}

async function moveSingles({ tx, model, stamp }: Writing, attribute: Attribute, merge: Merge): Promise<void> {
  const column = `a_${attribute.number}_target_record_id`
  await tx.unsafe(
    `update ${entityTypeOf(model, attribute).table} set ${column} = $1, version = version + 1, updated_at = $3, updated_by = $4
     where ${column} = any($2::uuid[])`,
    [merge.newId, bothIds(merge), timestampFromMicros(stamp.now), stamp.actor],
  )
}

async function moveInLists(moving: Writing, attribute: Attribute, merge: Merge): Promise<void> {
  const { tx, model } = moving
  const originals = [merge.primary.id, merge.secondary.id]
  for await (const ids of batchesReferringTo(tx, model, attribute, originals))
    await moveInEach(moving, attribute, ids, merge)
}

/** Lists of references change in place: nothing ended, so nothing goes to history. */
async function moveInEach(
  { tx, model, stamp }: Writing,
  attribute: Attribute,
  ids: readonly string[],
  merge: Merge,
): Promise<void> {
  const entityType = entityTypeOf(model, attribute)
  for (const entity of await lockEntities(tx, model, entityType, ids)) {
    const before = entity.versionsOf(attribute)
    const change = entityChange(entity, [{ attribute, before, after: redirect(attribute, before, merge) }], stamp.now)
    if (!change) continue
    const [row] = await updateEntity(tx, model, entityType, {
      id: entity.id,
      version: entity.version,
      change: { ...change, ended: [] },
      updated: { at: timestampFromMicros(stamp.now), by: stamp.actor },
      targets: [],
    })
    if (!row) throw new VersionConflict()
  }
}

/** Old ids lead to the newest record they became part of. */
async function rememberMerge(tx: Transaction, model: DataModel, merge: Merge, { now }: Stamp): Promise<void> {
  const { schema } = model
  await tx.unsafe(`update ${schema}.merges set new_id = $1 where new_id = any($2::uuid[])`, [
    merge.newId,
    bothIds(merge),
  ])
  await tx.unsafe(`insert into ${schema}.merges (old_id, new_id, merged_at) select unnest($2::uuid[]), $1, $3`, [
    merge.newId,
    bothIds(merge),
    timestampFromMicros(now),
  ])
}

const bothIds = ({ primary, secondary }: Merge): string => `{${primary.id},${secondary.id}}`
