/** What writes of several entities that share statements have in common: their outcomes, and the conflicts of their unique keys. */

import type { ApiContext, RequestContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import type { Row } from '#engine/storage/layout'
import { conflictOf, findTakenKeys, type TakenKey } from '#engine/storage/unique-keys'

/** What several entities written together became: the id of one, with its row if it was asked for, or the reason to refuse it. */
export type Outcome = { readonly id: string; readonly row: Row | undefined } | { readonly refusal: ApiError }

/** What the writer of several entities needs of each: its row for its renderer, or only its id. */
export type Answer = 'rows' | 'nothing'

export interface WrittenTogether {
  /** One for each of the first inputs, which may be none: then the first input is to be written alone. */
  readonly outcomes: readonly Outcome[]
  /** The context with the data model that the rows have. */
  readonly context: ApiContext
}

// Finds out which of several writes that share a statement add a unique key of another entity.

/** The unique keys that a write takes from its entity, and those that it gives to it. */
export interface KeyMove {
  readonly removed: readonly TakenKey[]
  readonly added: readonly TakenKey[]
}

/** The keys that entities have before the writes, as far as they are known, and whether a statement found others. */
interface Before {
  readonly known: readonly TakenKey[]
  readonly isConflicting: boolean
}

/** The errors of the writes that conflict with an entity or with an earlier write. Looks up keys only if there may be any. */
export async function refuseConflicting(
  { db, model }: RequestContext,
  moves: readonly KeyMove[],
  { known, isConflicting }: Before,
): Promise<readonly (ApiError | undefined)[]> {
  const added = moves.flatMap((move) => move.added)
  if (added.length === 0) return moves.map(() => undefined)
  const check = (taken: readonly TakenKey[]) => {
    const owners = new Map(taken.map((key) => [nameOf(key), key]))
    return moves.map((move) => {
      const others = move.added.flatMap((key) => otherOwner(owners, key))
      if (others.length > 0) return conflictOf(model, others, move.added)
      for (const key of move.removed) owners.delete(nameOf(key))
      for (const key of move.added) owners.set(nameOf(key), key)
      return undefined
    })
  }
  const refusals = isConflicting ? undefined : check(known)
  if (refusals?.every((refusal) => refusal === undefined)) return refusals
  return check([...known, ...(await findTakenKeys(db.sql, model, added))])
}

const nameOf = ({ attribute, key }: TakenKey): string => `${attribute} ${key}`

function otherOwner(owners: ReadonlyMap<string, TakenKey>, key: TakenKey): TakenKey[] {
  const owner = owners.get(nameOf(key))
  return owner === undefined || owner.entity_id === key.entity_id ? [] : [owner]
}
