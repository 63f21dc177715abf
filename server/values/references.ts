/** References to a record from anywhere: what deleting and merging records has to follow. Spec: values 8.13. */

import type { Transaction } from '../../db/connect'
import { ownerOf } from '../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../data-model/model'
import { timestampFromMicros } from '../time'
import type { Stamp } from './apply'
import { holdersReferringTo, updateEach } from './relationships'

/** The attributes, of all owners and archived or not, whose columns may hold a reference to records of `object`. */
export function attributesReferringTo(model: DataModel, object: ObjectOwner): Attribute[] {
  return [...model.attributesById.values()].filter((attribute) => {
    if (attribute.type !== 'record-reference' || attribute.stored_in !== 'columns') return false
    const allowed = attribute.config.record_reference?.allowed_object_ids
    return !allowed || allowed.includes(object.id)
  })
}

/** Ends every value that refers to the record, as the system. */
export async function removeReferences(
  tx: Transaction,
  model: DataModel,
  object: ObjectOwner,
  id: string,
  stamp: Stamp,
): Promise<void> {
  for (const attribute of attributesReferringTo(model, object)) {
    if (attribute.is_multiselect) await removeFromLists(tx, model, attribute, id, stamp)
    else await clearSingles(tx, model, attribute, id, stamp)
  }
}

async function removeFromLists(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
  stamp: Stamp,
): Promise<void> {
  const holders = await holdersReferringTo(tx, model, attribute, id)
  await updateEach({ tx, model, stamp }, attribute, holders, (versions) =>
    versions.filter((version) => version.stored.target_record_id !== id),
  )
}

/** One statement however many holders there are; it reads provenance as `versions.ts` writes it. */
async function clearSingles(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  id: string,
  stamp: Stamp,
): Promise<void> {
  const { number } = attribute
  const [object, record] = [`a_${number}_target_object`, `a_${number}_target_record_id`]
  const since = `coalesce(timestamptz 'epoch' + (entry->>0)::bigint * interval '1 microsecond', created_at)`
  const value = `jsonb_build_object('target_object', ${object}, 'target_record_id', ${record})`
  await tx.unsafe(
    `with gone as (
       select id, created_at, created_by, ${object}, ${record}, provenance->'${number}'->0 as entry
       from ${ownerOf(model, attribute).table} where ${record} = $1 for no key update
     ), ended as (
       insert into ${model.schema}.history (holder_id, attribute, active_from, active_until, actor, mirrored, value)
       select id, ${number}, ${since}, greatest($2::timestamptz, ${since} + interval '1 microsecond'),
         coalesce((entry->>1)::int, created_by), coalesce(entry->>2 = '1', false), ${value} from gone
     )
     update ${ownerOf(model, attribute).table} h
     set ${object} = null, ${record} = null, provenance = nullif(h.provenance - '${number}', '{}'::jsonb),
       version = version + 1, updated_at = $2, updated_by = $3
     from gone where h.id = gone.id`,
    [id, timestampFromMicros(stamp.now), stamp.actor],
  )
}
