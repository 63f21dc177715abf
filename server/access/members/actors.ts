/**
 * Actors: who changed something, as one number that values and history carry.
 * See docs/reference/access-and-oauth.md (Actors).
 */

import { sql } from 'kysely'
import type { Transaction } from '../../../db/connect'
import type { Actor } from '../../data-model/model'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'

/** Gives an actor of the workspace its number. The data model contains actors, so its version rises and all processes reload it. */
export async function createActor(
  tx: Transaction,
  workspaceId: string,
  type: Actor['type'],
  id: string,
): Promise<number> {
  const control = controlQueriesIn(tx)
  const workspace = await control
    .updateTable('relata.workspaces')
    .set(({ eb }) => ({
      last_number: eb('last_number', '+', 1),
      data_model_version: eb('data_model_version', '+', 1),
    }))
    .where('id', '=', workspaceId)
    .returning('last_number')
    .executeTakeFirst()
  if (workspace === undefined) throw new Error(`There is no workspace ${workspaceId}.`)
  const number = workspace.last_number
  await control.insertInto('relata.actors').values({ workspace_id: workspaceId, number, type, id }).execute()
  await sql`select pg_notify('relata_data_model', ${workspaceId})`.execute(control)
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
    .where('workspace_id', '=', workspaceId)
    .where('type', '=', type)
    .where('id', '=', id)
    .executeTakeFirst()
  return actor?.number
}
