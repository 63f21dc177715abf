import type { Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { unknownMeeting } from '#base/errors/notes'

/** Locks the meeting of a note against its deletion, until the transaction ends. Throws 400 for a meeting that does not exist. */
export async function lockMeeting(tx: Transaction, { model }: RequestContext, id: string | null): Promise<void> {
  if (id === null) return
  const meeting = await controlQueriesIn(tx)
    .selectFrom('relata.meetings')
    .select('id')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  if (meeting === undefined) throw unknownMeeting(id)
}
