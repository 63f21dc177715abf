import { Elysia } from 'elysia'
import { passwordIssues } from '#access/accounts/passwords'
import { BY_PASSWORD, endCurrentSession, endSessions } from '#access/sessions/sessions'
import { firstStartDone } from '#base/errors/access'
import { invalidBody } from '#base/errors/http'
import { JsonText } from '#api/http/response/answer'
import { type ConsoleContext, deviceOf, withCookie } from '#api/console/console-context'
import { runFirstStart } from './first-start'
import {
  FirstStartBody,
  FirstStepAnswer,
  PasskeySignInBody,
  PendingBody,
  SecondStepBody,
  SessionAnswer,
  SignedOutAnswer,
  SignInBody,
} from './schemas'
import { getSession, renderSignOut, startSession } from './session'
import {
  answerSignIn,
  completeSignIn,
  createPasskeyOptions,
  createPasskeySignInOptions,
  signIn,
  signInWithPasskey,
} from './sign-in'
import { Done } from '#api/console/schemas'
import { PasskeyOptionsAnswer } from '#api/console/second-factor/schemas'

export const sessionRoutes = ({ guard, appContext, cookie }: ConsoleContext) => {
  const { db, now } = appContext
  return new Elysia({ name: 'console-session' })
    .get(
      ...guard.anyone('/console/api/session', { response: SessionAnswer }, async ({ request, session }) => {
        const text = JSON.stringify({ data: await getSession(appContext, session) })
        const token = session && cookie.read(request)
        // Each request extends the session, so the expiry of the cookie is extended too.
        return new JsonText(text, token === undefined ? {} : { headers: { 'Set-Cookie': cookie.set(token) } })
      }),
    )
    .post(
      ...guard.anyone('/console/api/first-start', { response: Done, body: FirstStartBody }, async (input) => {
        const { body } = input
        const issues = passwordIssues(body.password, body.email_address, 'password')
        if (issues.length > 0) throw invalidBody(issues)
        const token = await runFirstStart(db, body, now, (inside, { accountId }) =>
          startSession(
            { ...appContext, db: inside },
            { accountId, emailAddress: body.email_address.toLowerCase() },
            BY_PASSWORD,
            deviceOf(input),
          ),
        )
        if (token === undefined) throw firstStartDone()
        return withCookie(cookie.set(token))
      }),
    )
    .post(
      ...guard.anyone('/console/api/sign-in', { response: FirstStepAnswer, body: SignInBody }, async (input) =>
        answerSignIn(cookie, await signIn(appContext, input.body, deviceOf(input))),
      ),
    )
    .post(
      ...guard.anyone(
        '/console/api/sign-in/passkey-options',
        { response: PasskeyOptionsAnswer },
        async ({ address }) => ({
          data: await createPasskeySignInOptions(appContext, address),
        }),
      ),
    )
    .post(
      ...guard.anyone('/console/api/sign-in/passkey', { response: Done, body: PasskeySignInBody }, async (input) =>
        withCookie(cookie.set(await signInWithPasskey(appContext, input.body.response, deviceOf(input)))),
      ),
    )
    .post(
      ...guard.anyone('/console/api/sign-in/second-factor', { response: Done, body: SecondStepBody }, async (input) =>
        withCookie(cookie.set(await completeSignIn(appContext, input.body, deviceOf(input)))),
      ),
    )
    .post(
      ...guard.anyone(
        '/console/api/sign-in/second-factor/passkey-options',
        { response: PasskeyOptionsAnswer, body: PendingBody },
        async ({ body }) => ({
          data: await createPasskeyOptions(appContext, body.token),
        }),
      ),
    )
    .post(
      ...guard.signedIn('/console/api/sign-out', { response: SignedOutAnswer }, async ({ session }) => {
        const url = await endCurrentSession(db.sql, session.id)
        return withCookie(cookie.clear, renderSignOut(appContext, url))
      }),
    )
    .post(
      ...guard.signedIn('/console/api/sign-out-everywhere', { response: SignedOutAnswer }, async ({ session }) => {
        const url = await endCurrentSession(db.sql, session.id)
        await endSessions(db.sql, session)
        return withCookie(cookie.clear, renderSignOut(appContext, url))
      }),
    )
}
