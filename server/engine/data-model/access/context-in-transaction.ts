import type { Database } from '#db/connect'
import type { RequestContext } from '#context'
import { modelOfMember } from './member-model'
import { loadDataModel } from '#engine/data-model/load'

/** The context of the same request, all of whose statements belong to the transaction of `within`. */
export const contextInTransaction = <C extends RequestContext>(context: C, within: Database): C => ({
  ...context,
  db: within,
  // The model of an open transaction, so it is not cached: the transaction may be rolled back.
  reloadModel: async () => modelOfMember(await loadDataModel(within, context.model.workspace.id), context.memberId),
  signal: undefined,
})
