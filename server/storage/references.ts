/**
 * References to a record from anywhere: what deleting and merging records has to follow.
 * See docs/reference/records.md (Delete, Merge).
 */

import { entityTypeOf } from '../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../data-model/model'
import { timestampFromMicros } from '../timing/clock'
import { batchesReferringTo } from './batches'
import { updateEach, type Writing } from '../entities/relationships/relationships'
import { tellUpdated } from '../entities/write/change-events'
import { isRelationship } from '../entities/write/save-change'

/** The attributes, of all entity types and archived or not, whose columns may hold a reference to records of `object`. */
export function attributesReferringTo(model: DataModel, object: ObjectType): Attribute[] {
  return [...model.attributesById.values()].filter((attribute) => {
    if (attribute.type !== 'record-reference' || attribute.stored_in !== 'columns') return false
    const allowed = attribute.config.record_reference?.allowed_object_ids
    return !allowed || allowed.includes(object.id)
  })
}

/** Ends every value that refers to the record, as the system. */
export async function removeReferences(writing: Writing, object: ObjectType, id: string): Promise<void> {
  const { model, told } = writing
  for (const attribute of attributesReferringTo(model, object)) {
    // Told are relationships alone. See docs/reference/webhooks-and-events.md (What causes what).
    const removing = { ...writing, told: isRelationship(model, attribute) ? told : undefined }
    if (attribute.is_multiselect) await removeFromLists(removing, attribute, id)
    else await clearSingles(removing, attribute, id)
  }
}

async function removeFromLists(writing: Writing, attribute: Attribute, id: string): Promise<void> {
  for await (const entities of batchesReferringTo(writing.tx, writing.model, attribute, [id])) {
    await updateEach(writing, attribute, entities, (versions) =>
      versions.filter((version) => version.stored.target_record_id !== id),
    )
  }
}

/** One statement however many entities there are; it reads provenance as `versions.ts` writes it. */
async function clearSingles({ tx, model, stamp, told }: Writing, attribute: Attribute, id: string): Promise<void> {
  const { number } = attribute
  const entityType = entityTypeOf(model, attribute)
  const [object, record] = [`a_${number}_target_object`, `a_${number}_target_record_id`]
  const since = `coalesce(timestamptz 'epoch' + (entry->>0)::bigint * interval '1 microsecond', created_at)`
  const value = `jsonb_build_object('target_object', ${object}, 'target_record_id', ${record})`
  const cleared = await tx.unsafe<{ id: string }[]>(
    `with gone as (
       select id, created_at, created_by, ${object}, ${record}, provenance->'${number}'->0 as entry
       from ${entityType.table} where ${record} = $1 for no key update
     ), ended as (
       insert into ${model.schema}.history (entity_id, attribute, active_from, active_until, actor, mirrored, value)
       select id, ${number}, ${since}, greatest($2::timestamptz, ${since} + interval '1 microsecond'),
         coalesce((entry->>1)::int, created_by), coalesce(entry->>2 = '1', false), ${value} from gone
     )
     update ${entityType.table} h
     set ${object} = null, ${record} = null, provenance = nullif(h.provenance - '${number}', '{}'::jsonb),
       version = version + 1, updated_at = $2, updated_by = $3
     from gone where h.id = gone.id returning h.id`,
    [id, timestampFromMicros(stamp.now), stamp.actor],
  )
  told?.push(...cleared.map((entity) => tellUpdated(entityType, entity, attribute, stamp.actor)))
}
