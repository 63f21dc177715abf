/** Reads actors by their numbers. An actor never changes, so a process caches the actors that it has read. */

import type { Transaction } from '#db/connect'
import { createLru } from '#base/caching/caching'
import type { ChangeEventBody } from '#vocabulary/event-types'

export type ActorReader = (workspaceId: string, number: number) => ChangeEventBody['actor']

/** A workspace, and the number of an actor in it. */
export interface ActorKey {
  readonly workspaceId: string
  readonly number: number
}

const SYSTEM: ChangeEventBody['actor'] = { type: 'system', id: null }
/** A cached actor takes a few hundred bytes. */
const MAX_CACHED = 10_000

const cache = createLru<string, ChangeEventBody['actor']>(MAX_CACHED)
const keyOf = (workspaceId: string, number: number) => `${workspaceId} ${number}`

/** Reads the actors that are not cached. A number without an actor is the system's. */
export async function readActors(tx: Transaction, numbers: readonly ActorKey[]): Promise<ActorReader> {
  const found = new Map<string, ChangeEventBody['actor']>()
  const missing = new Map<string, ActorKey>()
  for (const actor of numbers) {
    const key = keyOf(actor.workspaceId, actor.number)
    const cached = cache.get(key)
    if (cached) found.set(key, cached)
    else missing.set(key, actor)
  }
  for (const { workspace_id, number, type, id } of await listActors(tx, [...missing.values()])) {
    const key = keyOf(workspace_id, number)
    found.set(key, { type, id })
    cache.set(key, { type, id })
  }
  return (workspaceId, number) => found.get(keyOf(workspaceId, number)) ?? SYSTEM
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
    ) as wanted(workspace_id, number)
    join relata.actors a on a.workspace_id = wanted.workspace_id and a.number = wanted.number`
}
