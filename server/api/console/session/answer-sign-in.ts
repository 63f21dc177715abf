import type { SessionCookie } from '#access/sessions/session-cookie'
import { withCookie } from '#api/console/console-context'
import type { SignInResult } from './start-session'

/** Returns an answer with the cookie of the session, or with what the second step needs. */
export const answerSignIn = (cookie: SessionCookie, result: SignInResult, data: object = {}): object =>
  'sessionToken' in result
    ? withCookie(cookie.set(result.sessionToken), data)
    : { data: { ...data, second_factor: { token: result.pendingToken, methods: result.factors } } }
