/** Who numbers of actors are. An actor never becomes another, so whoever was read once is known. */

import type { Transaction } from '../../db/connect'
import { createLru } from '../caching/lru'
import type { ChangeEventBody } from './event-types'

export type ActorReader = (workspaceId: string, number: number) => ChangeEventBody['actor']

/** An actor of a workspace by the number it has there. */
export interface ActorKey {
  readonly workspaceId: string
  readonly number: number
}

const SYSTEM: ChangeEventBody['actor'] = { type: 'system', id: null }
/** Some hundred bytes each. */
const MOST_KNOWN = 10_000

const known = createLru<string, ChangeEventBody['actor']>(MOST_KNOWN)
const keyOf = (workspaceId: string, number: number) => `${workspaceId} ${number}`

/** Reads those that are not known yet; a number that is nobody's is the system's. */
export async function readActors(tx: Transaction, numbers: readonly ActorKey[]): Promise<ActorReader> {
  const told = new Map<string, ChangeEventBody['actor']>()
  const missing = new Map<string, ActorKey>()
  for (const actor of numbers) {
    const key = keyOf(actor.workspaceId, actor.number)
    const name = known.get(key)
    if (name) told.set(key, name)
    else missing.set(key, actor)
  }
  for (const { workspace_id, number, type, id } of await listActors(tx, [...missing.values()])) {
    const key = keyOf(workspace_id, number)
    told.set(key, { type, id })
    known.set(key, { type, id })
  }
  return (workspaceId, number) => told.get(keyOf(workspaceId, number)) ?? SYSTEM
}

interface ActorRow {
  readonly workspace_id: string
  readonly number: number
  readonly type: string
  readonly id: string
}

async function listActors(tx: Transaction, actors: readonly ActorKey[]): Promise<ActorRow[]> {
  if (actors.length === 0) return []
  return tx<ActorRow[]>`
    select a.workspace_id, a.number, a.type, a.id
    from unnest(
      ${actors.map(({ workspaceId }) => workspaceId)}::uuid[], ${actors.map(({ number }) => number)}::int[]
    ) as asked(workspace_id, number)
    join relata.actors a on a.workspace_id = asked.workspace_id and a.number = asked.number`
}
