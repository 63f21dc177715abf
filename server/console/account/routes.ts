import { Elysia } from 'elysia'
import { type Console, deviceOf } from '../console'
import { changePassword, requestReset, resetPassword } from './password'
import { PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { closeSession, showSessions } from './sessions'

export const accountRoutes = ({ guard, appContext }: Console) =>
  new Elysia({ name: 'console-account' })
    .get(
      '/console/api/sessions',
      ...guard.signedIn({}, async ({ session }) => ({ data: await showSessions(appContext, session) })),
    )
    .delete(
      '/console/api/sessions/:session_id',
      ...guard.signedIn({}, async ({ session, params }) => {
        await closeSession(appContext, session, params.session_id)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password',
      ...guard.signedIn({ body: PasswordBody }, async (visit) => {
        await changePassword(appContext, visit.session, visit.body, deviceOf(visit))
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
