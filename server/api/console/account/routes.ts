import { Elysia } from 'elysia'
import { type ConsoleContext, deviceOf } from '#api/console/console-context'
import { changePassword, requestReset, resetPassword } from './password'
import { AccountSessionsAnswer, PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { endOwnSession, listOwnSessions } from './sessions'
import { Done } from '#api/console/schemas'

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
