import { Elysia } from 'elysia'
import { type ConsoleContext, deviceOf } from '#api/console/console-context'
import { changePassword, requestReset, resetPassword } from './password'
import { AccountSessionsAnswer, PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { Done } from '#api/console/schemas'
import { isUuid } from '#vocabulary/uuids'
import { endSession, listSessions } from '#access/sessions/sessions'
import { sessionNotFound } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'

export const accountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-account' })
    .get(
      '/console/api/sessions',
      ...guard.signedIn({ response: AccountSessionsAnswer }, async ({ session }) => ({
        data: await listOwnSessions(appContext, session),
      })),
    )
    .delete(
      '/console/api/sessions/:session_id',
      ...guard.signedIn({ response: Done }, async ({ session, params }) => {
        await endOwnSession(appContext, session, params.session_id)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password',
      ...guard.account({ response: Done, body: PasswordBody }, async (input) => {
        await changePassword(appContext, input.session, input.body, deviceOf(input))
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets',
      ...guard.anyone({ response: Done, body: ResetRequestBody }, async ({ body, address }) => {
        await requestReset(appContext, body.email_address, address)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets/:token',
      ...guard.anyone({ response: Done, body: ResetBody }, async ({ params, body, address }) => {
        await resetPassword(appContext, params.token, body.password, address)
        return { data: {} }
      }),
    )

// The sessions of the signed-in account.

/** Returns the session used last first. */
async function listOwnSessions({ db, now }: AppContext, own: ConsoleSession): Promise<object[]> {
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
async function endOwnSession({ db }: AppContext, own: ConsoleSession, id: string): Promise<void> {
  if (!isUuid(id) || !(await endSession(db.sql, own, id))) throw sessionNotFound(id)
}
