/** The score of SQL. See docs/reference/errors-and-limits.md (Query score). */

import type { ApiContext } from '#context'
import type { EntityType } from '#engine/data-model/model'

const PER_TABLE = 10

/**
 * Charges the score of a query that reads the tables to the workspace's window, and returns it. The limit of one query does not
 * apply, because SQL has a time limit of its own. Throws 429 over what is left of the window.
 */
export async function chargeScore(
  { model, indexes, costLimit }: ApiContext,
  tables: readonly EntityType[],
): Promise<number> {
  let cost = 1
  for (const { table } of tables) {
    const entities = await (indexes?.sizes.get(table) ?? 0)
    cost += PER_TABLE * (1 + Math.log10(1 + entities / 10_000))
  }
  const score = Math.round(cost)
  await costLimit?.spend(model.workspace.id, score, 0)
  return score
}
