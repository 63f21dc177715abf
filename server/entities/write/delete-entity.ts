/** Deletes holders for good, with what is theirs alone. Spec: resources 4, values 7. */

import type { Transaction } from '../../../db/connect'
import { ownerOf, partnerOf } from '../../data-model/find'
import type { Call } from '../../call'
import type { Attribute, DataModel, ListOwner, ObjectOwner, Owner } from '../../data-model/model'
import { appendEvents, originOf } from '../../events/outbox'
import type { NewEvent } from '../../events/event-types'
import { batchesWhere } from './batches'
import { holderChange } from './entity-change'
import type { HeldHolder } from '../read/read-entities'
import { lockHolders } from '../read/read-entities'
import { attributesReferringTo, removeReferences } from '../../storage/references'
import { insertHistory } from '../../storage/history'
import { listsOf, parentClaim } from '../read/parent'
import { inSteps } from './serialise-writes'
import { ofOthers, onlyOnce, tellChanged, tellEntryDeleted } from './change-events'
import { uniqueKeys } from '../../storage/unique-keys'
import { isRelationship, Outdated } from './save-change'

const SYSTEM = 0

/**
 * Deletes a record, its unique keys, history and entries, and ends the values that refer to it. Told are the record, its
 * entries, and the other sides of its relationships. `check` may refuse, knowing the record. False when there is no such record. Throws `Outdated` for `attempt`.
 */
export async function deleteRecordHolder(
  call: Call,
  object: ObjectOwner,
  id: string,
  check: (holder: HeldHolder) => void,
): Promise<boolean> {
  const { model } = call
  return inSteps(call, async (tx) => {
    const [holder] = await lockForDeletion(tx, model, object, [id])
    if (!holder) return false
    check(holder)
    const stamp = { now: call.now(), actor: SYSTEM }
    const entries = await deleteEntriesOf(tx, model, object, id)
    const writing = { tx, model, stamp, told: tellUnrelated(model, object, holder) }
    await removeReferences(writing, object, id)
    await forgetHolders(tx, model, object, [holder])
    await endRelationships(tx, model, object, holder, stamp.now)
    await forgetMirrors(tx, model, object, id)
    const deleted: NewEvent = { event_type: 'record.deleted', id: { object_id: object.id, record_id: id } }
    const told = [deleted, ...entries, ...onlyOnce(ofOthers(writing.told, [id]))]
    await appendEvents(tx, originOf(call, stamp.now), told)
    return true
  })
}

/** Locks holders against every other writer, also those that merely refer to them. */
export async function lockForDeletion(
  tx: Transaction,
  model: DataModel,
  owner: Owner,
  ids: readonly string[],
): Promise<HeldHolder[]> {
  await tx.unsafe(`select 1 from ${owner.table} where id = any($1::uuid[]) order by id for update`, [
    `{${ids.join(',')}}`,
  ])
  return lockHolders(tx, model, owner, ids)
}

/** Deletes an entry; the record it stands for stays. As `deleteRecordHolder`. */
export async function deleteEntryHolder(
  call: Call,
  list: ListOwner,
  id: string,
  check: (holder: HeldHolder) => void,
): Promise<boolean> {
  const { model } = call
  return call.db.sql.begin(async (tx) => {
    const [holder] = await lockForDeletion(tx, model, list, [id])
    if (!holder) return false
    check(holder)
    await forgetHolders(tx, model, list, [holder])
    await appendEvents(tx, originOf(call), [tellEntryDeleted(list, holder)])
    return true
  }) as Promise<boolean> // the driver widens what its callback gives
}

/**
 * Deletes all entries that stand for a record and gives what is to be told of it; nobody makes new ones while the record
 * is locked for deletion.
 */
async function deleteEntriesOf(
  tx: Transaction,
  model: DataModel,
  object: ObjectOwner,
  id: string,
): Promise<NewEvent[]> {
  const told: NewEvent[] = []
  for (const list of listsOf(model, object)) {
    for await (const ids of batchesWhere(tx, list.table, 'parent_record_id = any($1::uuid[])', [id])) {
      const entries = await lockForDeletion(tx, model, list, ids)
      await forgetHolders(tx, model, list, entries)
      for (const entry of entries) told.push(tellEntryDeleted(list, entry))
    }
  }
  return told
}

/**
 * Removes rows, their unique keys, and their history but for relationships, which the other side still shows. Throws
 * `Outdated` when the data model is another one: there may be keys, lists and references that this one does not know.
 */
export async function forgetHolders(
  tx: Transaction,
  model: DataModel,
  owner: Owner,
  holders: readonly HeldHolder[],
): Promise<void> {
  const ids = `{${holders.map(({ id }) => id).join(',')}}`
  const gone = await tx.unsafe(
    `delete from ${owner.table} where id = any($1::uuid[])
     and exists (select 1 from relata.workspaces where id = $2 and data_model_version = $3) returning 1`,
    [ids, model.workspace.id, model.version],
  )
  if (gone.length < holders.length) throw new Outdated()
  const keys = holders.flatMap((holder) => keysOf(owner, holder))
  if (keys.length > 0) {
    await tx.unsafe(
      `delete from ${model.schema}.uniques u
       using json_to_recordset($1::text::json) as k(attribute int, key text, holder_id uuid)
       where u.attribute = k.attribute and u.key = k.key and u.holder_id = k.holder_id`,
      [JSON.stringify(keys)],
    )
  }
  const kept = relationshipAttributes(model, owner).map(({ number }) => number)
  await tx.unsafe(
    `delete from ${model.schema}.history where holder_id = any($1::uuid[]) and attribute <> all($2::int[])`,
    [ids, `{${kept}}`],
  )
}

/** The keys a holder may have; an entry has the claim on its record if it was made with it. */
function keysOf(owner: Owner, holder: HeldHolder) {
  const keys = owner.attributes.flatMap((attribute) =>
    uniqueKeys(
      attribute,
      holder.versionsOf(attribute).map(({ stored }) => stored),
    ),
  )
  if (owner.kind === 'list' && holder.parentRecordId) keys.push(parentClaim(owner, holder.parentRecordId))
  return keys.map((key) => ({ ...key, holder_id: holder.id }))
}

/** Keeps the ended references of a deleted holder for the records on their other side. */
async function endRelationships(
  tx: Transaction,
  model: DataModel,
  owner: Owner,
  holder: HeldHolder,
  now: number,
): Promise<void> {
  const change = holderChange(holder, relationshipsEnded(model, owner, holder), now)
  if (change) await insertHistory(tx, model, change.ended)
}

const relationshipsEnded = (model: DataModel, owner: Owner, holder: HeldHolder) =>
  relationshipAttributes(model, owner).map((attribute) => ({
    attribute,
    before: holder.versionsOf(attribute),
    after: [],
  }))

/** What is told when a holder refers to nothing any more. */
const tellUnrelated = (model: DataModel, owner: Owner, holder: HeldHolder): NewEvent[] =>
  tellChanged(model, owner, holder, relationshipsEnded(model, owner, holder))

/** Removes what was kept of references of or to a record that is gone, where the other one is gone as well. */
export async function forgetMirrors(tx: Transaction, model: DataModel, object: ObjectOwner, id: string): Promise<void> {
  for (const attribute of relationshipAttributes(model, object)) {
    const partner = partnerOf(model, attribute)
    if (!partner) continue
    await tx.unsafe(
      `delete from ${model.schema}.history e where e.attribute = $1 and e.holder_id = $2
       and not exists (select 1 from ${ownerOf(model, partner).table} t where t.id = (e.value->>'target_record_id')::uuid)`,
      [attribute.number, id],
    )
  }
  for (const attribute of attributesReferringTo(model, object)) {
    if (!isRelationship(model, attribute)) continue
    await tx.unsafe(
      `delete from ${model.schema}.history e where e.attribute = $1 and e.value ? 'target_record_id'
       and e.value->>'target_record_id' = $2
       and not exists (select 1 from ${ownerOf(model, attribute).table} h where h.id = e.holder_id)`,
      [attribute.number, id],
    )
  }
}

const relationshipAttributes = (model: DataModel, owner: Owner): Attribute[] =>
  owner.attributes.filter((attribute) => attribute.stored_in === 'columns' && isRelationship(model, attribute))
