/**
 * To plan a statement over a month of partitions takes several times as long as to run it, and the plan is the same for
 * all webhooks: it is made once for each connection. PostgreSQL alone would plan anew each time. Decision 0068.
 */

import type { Database, Transaction } from '../../db/connect'

/** For the rest of the transaction. */
export async function usePlansKept(tx: Transaction): Promise<void> {
  await tx`set local plan_cache_mode = 'force_generic_plan'`
}

/** Runs one statement so. */
export function withPlansKept<T>(db: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  return db.sql.begin(async (tx) => {
    await usePlansKept(tx)
    return work(tx)
  }) as Promise<T> // the driver's type unwraps arrays, which these are not
}
