/**
 * Actors: who did something, as one number that values and history carry.
 * See docs/reference/access-and-oauth.md (Actors).
 */

import type { Transaction } from '../../../db/connect'
import type { Actor } from '../../data-model/model'

/** Gives an actor of the workspace its number. The data model names actors, so its version rises and every process hears of it. */
export async function createActor(
  tx: Transaction,
  workspaceId: string,
  type: Actor['type'],
  id: string,
): Promise<number> {
  const [workspace] = await tx<[{ last_number: number }?]>`
    update relata.workspaces
    set last_number = last_number + 1, data_model_version = data_model_version + 1
    where id = ${workspaceId}
    returning last_number`
  if (workspace === undefined) throw new Error(`There is no workspace ${workspaceId}.`)
  const number = workspace.last_number
  await tx`
    insert into relata.actors (workspace_id, number, type, id)
    values (${workspaceId}, ${number}, ${type}, ${id})`
  await tx`select pg_notify('relata_data_model', ${workspaceId})`
  return number
}
