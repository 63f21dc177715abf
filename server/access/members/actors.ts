/**
 * Actors: who changed something, as one number that values and history carry.
 * See docs/reference/access-and-oauth.md (Actors).
 */

import type { Transaction } from '#db/connect'
import { allocateNumbers, notifyModelChange } from '#engine/data-model/change-model'
import type { Actor } from '#engine/data-model/model'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

/** Gives an actor of the workspace its number. The data model contains actors, so its version rises and all processes reload it. */
export async function createActor(
  tx: Transaction,
  workspaceId: string,
  type: Actor['type'],
  id: string,
): Promise<number> {
  const number = await allocateNumbers(tx, workspaceId, 1)
  await controlQueriesIn(tx)
    .insertInto('relata.actors')
    .values({ workspace_id: workspaceId, number, type, id })
    .execute()
  await notifyModelChange(tx, workspaceId)
  return number
}

/** The actor of a member exists as long as the member does. */
export async function getActorNumber(
  tx: Transaction,
  workspaceId: string,
  type: Actor['type'],
  id: string,
): Promise<number> {
  const number = await findActorNumber(tx, workspaceId, type, id)
  if (number === undefined) throw new Error(`There is no actor of type ${type} with the id ${id}.`)
  return number
}

export async function findActorNumber(
  tx: Transaction,
  workspaceId: string,
  type: Actor['type'],
  id: string,
): Promise<number | undefined> {
  const actor = await controlQueriesIn(tx)
    .selectFrom('relata.actors')
    .select('number')
    .where(equal({ workspace_id: workspaceId, type, id }))
    .executeTakeFirst()
  return actor?.number
}
