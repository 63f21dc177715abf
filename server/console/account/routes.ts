import { Elysia } from 'elysia'
import { type Console, deviceOf } from '../console'
import { changePassword, requestReset, resetPassword } from './password'
import { PasswordBody, ResetBody, ResetRequestBody } from './schemas'
import { closeSession, showSessions } from './sessions'

export const accountRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-account' })
    .get(
      '/console/api/sessions',
      ...door.signedIn({}, async ({ session }) => ({ data: await showSessions(platform, session) })),
    )
    .delete(
      '/console/api/sessions/:session_id',
      ...door.signedIn({}, async ({ session, params }) => {
        await closeSession(platform, session, params.session_id)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password',
      ...door.signedIn({ body: PasswordBody }, async (visit) => {
        await changePassword(platform, visit.session, visit.body, deviceOf(visit))
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets',
      ...door.anyone({ body: ResetRequestBody }, async ({ body, address }) => {
        await requestReset(platform, body.email_address, address)
        return { data: {} }
      }),
    )
    .post(
      '/console/api/password-resets/:token',
      ...door.anyone({ body: ResetBody }, async ({ params, body, address }) => {
        await resetPassword(platform, params.token, body.password, address)
        return { data: {} }
      }),
    )
