/** The sessions of the signed-in account. */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import { endSession, listSessions } from '#access/sessions/sessions'
import { sessionNotFound } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'

/** Returns the session used last first. */
export async function listOwnSessions({ db, now }: AppContext, own: ConsoleSession): Promise<object[]> {
  const sessions = await listSessions(db, own, now())
  return sessions.map((session) => ({
    id: session.id,
    user_agent: session.user_agent,
    address: session.address,
    created_at: timestampFromPostgres(session.created_at),
    last_used_at: timestampFromPostgres(session.last_used_at),
    method: session.method,
    second_factor: session.second_factor,
    is_current: session.id === own.id,
  }))
}

/** Throws 404 for a session of another account. */
export async function endOwnSession({ db }: AppContext, own: ConsoleSession, id: string): Promise<void> {
  if (!isUuid(id) || !(await endSession(db.sql, own, id))) throw sessionNotFound(id)
}
