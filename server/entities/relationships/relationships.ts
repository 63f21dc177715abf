/**
 * What writing one side of a relationship changes in other holders. The reference is stored once, so the many-to-one and
 * many-to-many sides that hold it change nothing else; writing the derived side changes the holders that hold it, and a
 * one-to-one takes the target away from whoever had it. Spec: values 9.
 */

import type { Transaction } from '../../../db/connect'
import { ownerOf, partnerOf } from '../../data-model/find'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import type { NewEvent } from '../../events/event-types'
import { applyValues, type Mode, type Stamp } from '../write/apply-values'
import { batchesOf } from '../write/batches'
import { storedPartner } from '../../storage/layout'
import type { Assignment } from '../write/parse-values'
import { lockHolders } from '../read/read-entities'
import { tellChanged } from '../write/change-events'
import type { Version } from '../../storage/provenance'
import { changeHolder, Outdated } from '../write/save-change'

const SYSTEM = 0

/** A transaction that writes, and for whom. */
export interface Writing {
  readonly tx: Transaction
  readonly model: DataModel
  readonly stamp: Stamp
  /** Gathers what the steps tell; absent where nobody is told. */
  readonly told?: NewEvent[]
}

/** Whether writing this attribute may change other holders, so that the write needs a transaction of several steps. */
export function touchesOthers(model: DataModel, attribute: Attribute): boolean {
  return attribute.stored_in === 'partner' || isOneToOne(model, attribute)
}

/** Whether neither side of its relationship takes more than one. */
export const isOneToOne = (model: DataModel, attribute: Attribute): boolean => {
  const partner = partnerOf(model, attribute)
  return partner !== undefined && !partner.is_multiselect && !attribute.is_multiselect
}

/**
 * Takes the targets of one-to-one references away from the holders that had them, before `holderId` gets them. Their
 * rows are locked first, so that two writers cannot both win.
 */
export async function releaseTargets(
  writing: Writing,
  holderId: string,
  assignments: readonly Assignment[],
): Promise<void> {
  const { tx, model } = writing
  for (const { attribute, values } of assignments) {
    if (attribute.stored_in !== 'columns' || !isOneToOne(model, attribute)) continue
    const target = values[0]?.target_record_id
    const partner = partnerOf(model, attribute)
    if (target === undefined || !partner) continue
    await lockRow(tx, ownerOf(model, partner), String(target))
    const others = (await holdersReferringTo(tx, model, attribute, String(target))).filter((id) => id !== holderId)
    await updateEach(writing, attribute, others, () => [])
  }
}

/** Writes the derived side of a relationship: `holderId` is to have, or to gain, the given records. */
export async function writeDerived(
  writing: Writing,
  holderId: string,
  { attribute, values }: Assignment,
  mode: Mode,
): Promise<void> {
  const { tx, model, stamp } = writing
  const stored = storedPartner(model, attribute)
  await lockRow(tx, ownerOf(model, attribute), holderId)
  const current = await holdersReferringTo(tx, model, stored, holderId)
  const wanted = [...new Set(values.map((value) => String(value.target_record_id)))]
  const appends = mode === 'append' && attribute.is_multiselect
  const leaving = appends ? [] : current.filter((id) => !wanted.includes(id))
  const arriving = appends ? wanted.filter((id) => !current.includes(id)) : wanted
  await updateEach(writing, stored, leaving, (versions) => versions.filter((version) => !refersTo(version, holderId)))
  const reference = { target_object: ownerOf(model, attribute).number, target_record_id: holderId }
  const mirrored = { ...stamp, mirrored: true }
  await updateEach(writing, stored, arriving, (versions, id) => {
    const next = applyValues(stored, versions, [reference], 'append', mirrored)
    // The order sent is the order shown, although the derived side has no list of its own: newest first.
    const rank = stamp.now - arriving.indexOf(id)
    return next.map((version) =>
      refersTo(version, holderId) && (version.rank ?? version.active_from) !== rank ? { ...version, rank } : version,
    )
  })
}

const refersTo = (version: Version, id: string): boolean => version.stored.target_record_id === id

/** The holders whose `attribute` refers to `targetId`, by id. */
export async function holdersReferringTo(
  tx: Transaction,
  model: DataModel,
  attribute: Attribute,
  targetId: string,
): Promise<string[]> {
  const column = `a_${attribute.number}_target_record_id`
  const refers = attribute.is_multiselect ? `${column} @> array[$1::uuid]` : `${column} = $1::uuid`
  const query = `select id from ${ownerOf(model, attribute).table} where ${refers} order by id`
  const rows = await tx.unsafe<{ id: string }[]>(query, [targetId], { prepare: true })
  return rows.map(({ id }) => id)
}

/** Changes one attribute of several holders. Throws `Outdated` when one of them does not exist any more. */
export async function updateEach(
  { tx, model, stamp, told }: Writing,
  attribute: Attribute,
  ids: readonly string[],
  change: (versions: readonly Version[], id: string) => readonly Version[],
): Promise<void> {
  const owner = ownerOf(model, attribute)
  for (const batch of batchesOf(ids)) {
    const holders = await lockHolders(tx, model, owner, batch)
    // One that was changed after this write's time would have values that overlap.
    const isLate = holders.some(({ updated }) => updated > stamp.now)
    if (isLate || holders.length < batch.length) throw new Outdated()
    for (const holder of holders) {
      const before = holder.versionsOf(attribute)
      const changes = [{ attribute, before, after: change(before, holder.id) }]
      await changeHolder(tx, model, owner, holder, { changes, targets: [] }, stamp)
      told?.push(...tellChanged(model, owner, holder, changes, SYSTEM))
    }
  }
}

/** Serialises writers of one side of a relationship without getting in the way of those that merely refer to it. */
async function lockRow(tx: Transaction, owner: Owner, id: string): Promise<void> {
  await tx.unsafe(`select 1 from ${owner.table} where id = $1 for no key update`, [id], { prepare: true })
}
