import { Elysia } from 'elysia'
import { type ConsoleContext, deviceOf } from '#api/console/console-context'
import { changePassword, requestReset, resetPassword } from './password'
import { PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { endOwnSession, listOwnSessions } from './sessions'

export const accountRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-account' })
    .get(
      '/console/api/sessions',
      ...guard.signedIn({}, async ({ session }) => ({ data: await listOwnSessions(appContext, session) })),
    )
    .delete(
      '/console/api/sessions/:session_id',
      ...guard.signedIn({}, async ({ session, params }) => {
        await endOwnSession(appContext, session, params.session_id)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password',
      ...guard.account({ body: PasswordBody }, async (input) => {
        await changePassword(appContext, input.session, input.body, deviceOf(input))
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets',
      ...guard.anyone({ body: ResetRequestBody }, async ({ body, address }) => {
        await requestReset(appContext, body.email_address, address)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets/:token',
      ...guard.anyone({ body: ResetBody }, async ({ params, body, address }) => {
        await resetPassword(appContext, params.token, body.password, address)
        return { data: {} }
      }),
    )
