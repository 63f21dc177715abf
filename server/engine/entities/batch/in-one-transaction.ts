import { runInTransaction } from '#db/run-in-transaction'
import type { RequestContext } from '#context'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'

/** Runs writes, and commits all of them or none. In the transaction of the request, its owner undoes them when `work` throws. */
export function inOneTransaction<C extends RequestContext, T>(
  context: C,
  work: (context: C) => Promise<T>,
): Promise<T> {
  const { db, model } = context
  if (db.isInTransaction) return work(context)
  return asOutboxWriter(db, model.workspace.id, () =>
    runInTransaction(db, ({ undoable }) => undoable((within) => work(contextInTransaction(context, within)))),
  )
}
