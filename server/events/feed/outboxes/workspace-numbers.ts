/** Reads the numbers of workspaces, which name their schemas. A number never changes, so a process caches it. */

import type { Transaction } from '#db/connect'
import { createLru } from '#base/caching/lru'

const MAX_CACHED = 10_000

const cache = createLru<string, number>(MAX_CACHED)

/** A workspace that does not exist is absent. */
export async function readWorkspaceNumbers(
  tx: Transaction,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>()
  const missing: string[] = []
  for (const id of workspaceIds) {
    const cached = cache.get(id)
    if (cached === undefined) missing.push(id)
    else numbers.set(id, cached)
  }
  if (missing.length === 0) return numbers
  const rows = await tx<{ id: string; number: number }[]>`
    select id, number from relata.workspaces where id = any(${missing}::uuid[])`
  for (const { id, number } of rows) {
    cache.set(id, number)
    numbers.set(id, number)
  }
  return numbers
}
