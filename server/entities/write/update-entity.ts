/** Updates one holder's values, with its unique keys, history and relationships. */

import type { Sql, Transaction } from '../../../db/connect'
import { onLookups } from '../../../db/lookup-pool'
import type { Call } from '../../call'
import type { Attribute, Owner } from '../../data-model/model'
import { appendEvents, originOf } from '../../events/outbox'
import { applyValues, type Mode } from './apply-values'
import { orKeysTaken } from './retry-on-conflict'
import type { AttributeChange } from './entity-change'
import { requireTouched } from './defaults'
import type { Row } from '../../storage/layout'
import type { Assignment } from './parse-values'
import { findHolder, findRow, type HeldHolder, lockHolders } from '../read/read-entities'
import { holdersReferringTo, releaseTargets, touchesOthers, writeDerived, type Writing } from '../relationships/relationships'
import { inSteps } from './serialise-writes'
import { storedPartner } from '../../storage/layout'
import { onlyOnce, ownFirst, tellChanged } from './change-events'
import { changeHolder, claimedKeys, KeysTaken, targetsOf } from './save-change'

export interface Update {
  readonly assignments: readonly Assignment[]
  /** How a multiselect takes its values. */
  readonly modeOf: (assignment: Assignment) => Mode
}

/** What a write needs to know before it can say what it does. */
export interface HolderWriting {
  readonly call: Call
  readonly owner: Owner
  readonly id: string
  /** Locks the row before it reads it. */
  readonly locking: boolean
  /** The holder, when it was read already. */
  readonly found?: HeldHolder
  /** Those it may write, when that is known before it reads: no others are read. */
  readonly attributes?: readonly Attribute[]
}

/**
 * Reads a holder, asks `decide` what to write to it, writes it, and answers the new row; undefined when there is no such
 * holder. A write that changes nothing leaves no trace.
 * Throws `Outdated` and `KeysTaken` for `attempt`.
 */
export async function writeHolder(
  { call, owner, id, locking, found, attributes }: HolderWriting,
  decide: (db: Sql | Transaction, holder: HeldHolder) => Promise<Update>,
): Promise<Row | undefined> {
  if (locking) return inTransaction(call, owner, id, decide)
  const { sql } = call.db
  const read = (on: Sql) => findHolder(on, call.model, owner, id, attributes)
  const holder = found ?? (await onLookups(call.db, read))
  if (!holder) return undefined
  const update = await decide(sql, holder)
  if (update.assignments.some(({ attribute }) => touchesOthers(call.model, attribute)))
    return inTransaction(call, owner, id, decide)
  return applyUpdate(sql, call, owner, holder, update)
}

const inTransaction = (
  call: Call,
  owner: Owner,
  id: string,
  decide: (db: Sql | Transaction, holder: HeldHolder) => Promise<Update>,
): Promise<Row | undefined> =>
  inSteps(call, async (tx) => {
    const [holder] = await lockHolders(tx, call.model, owner, [id])
    if (!holder) return undefined
    const update = await decide(tx, holder)
    const stamp = { now: call.now(), actor: call.actor }
    const writing = { tx, model: call.model, stamp, told: [] }
    await requireDerived(tx, call, holder, update)
    await releaseTargets(writing, id, update.assignments)
    await applyUpdate(tx, call, owner, holder, update, writing)
    for (const assignment of update.assignments) {
      if (assignment.attribute.stored_in === 'partner')
        await writeDerived(writing, id, assignment, update.modeOf(assignment))
    }
    const told = onlyOnce(ownFirst(writing.told, id, update.assignments))
    await appendEvents(tx, originOf(call, stamp.now), told)
    return findRow(tx, call.model, owner, id)
  })

/** Writes what is stored in the holder's own columns. Within steps, `writing` gathers what all of them tell. */
async function applyUpdate(
  db: Sql | Transaction,
  call: Call,
  owner: Owner,
  holder: HeldHolder,
  { assignments, modeOf }: Update,
  writing?: Writing,
): Promise<Row | undefined> {
  const { model, actor } = call
  const now = writing?.stamp.now ?? call.now()
  const own = assignments.filter(({ attribute }) => attribute.stored_in === 'columns')
  const changes = own.map((assignment): AttributeChange => {
    const before = holder.versionsOf(assignment.attribute)
    const after = applyValues(assignment.attribute, before, assignment.values, modeOf(assignment), { now, actor })
    return { attribute: assignment.attribute, before, after }
  })
  requireTouched(own, ({ attribute }) =>
    changes.some((change) => change.attribute === attribute && change.after.length > 0),
  )
  const events = tellChanged(model, owner, holder, changes)
  writing?.told?.push(...events)
  const told = writing ? undefined : { origin: { at: now, actor }, events }
  try {
    const changed = { changes, targets: targetsOf(model, own), told }
    const row = await changeHolder(db, model, owner, holder, changed, { now, actor })
    return row ?? (await findRow(db, model, owner, holder.id))
  } catch (error) {
    throw orKeysTaken(error, () => new KeysTaken(claimedKeys(changes), holder.id))
  }
}

/** Refuses to empty a required attribute that is derived from its partner. */
async function requireDerived(
  tx: Transaction,
  call: Call,
  holder: HeldHolder,
  { assignments, modeOf }: Update,
): Promise<void> {
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (!attribute.is_required || attribute.stored_in !== 'partner' || values.length > 0) continue
    const stays = modeOf(assignment) === 'append' && attribute.is_multiselect
    const current = stays
      ? await holdersReferringTo(tx, call.model, storedPartner(call.model, attribute), holder.id)
      : []
    requireTouched([assignment], () => current.length > 0)
  }
}
