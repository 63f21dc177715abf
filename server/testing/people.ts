/** People who are signed in at the console and send requests as a page of the console does. */

import { createAccount } from '#access/accounts/accounts'
import { createMember } from '#access/members/members'
import type { MemberAccessLevel } from '#access/members/memberships'
import { derivedSecret } from '#access/secrets'
import { BY_PASSWORD, createSession, sessionCookie, type SignIn } from '#access/sessions/sessions'
import { createClient, type Answer } from './client'
import type { TestService } from './service'

export interface Person {
  readonly accountId: string
  readonly email_address: string
  readonly password: string
  /** The ids of the member by workspace. */
  readonly memberIds: Readonly<Record<string, string>>
  readonly sessionId: string
  /** The headers of the browser: cookie and CSRF token. */
  readonly headers: Readonly<Record<string, string>>
  /** Sends a request with the session. `workspace` is the workspace of a path below `/console/v2`, by default the first one. */
  ask(method: string, path: string, body?: unknown, workspace?: string): Promise<Answer>
  /** The same person with another session. */
  signInAgain(signIn: Omit<SignIn, 'provenAt'>): Promise<Person>
}

const PASSWORD = 'correct horse battery'
let count = 0

/** Creates an account with a session and with memberships in these workspaces. */
export async function signedIn(
  service: TestService,
  places: Readonly<Record<string, MemberAccessLevel>> = { [service.workspaceId]: 'admin' },
  signIn: Omit<SignIn, 'provenAt'> = BY_PASSWORD,
): Promise<Person> {
  const { db, appContext } = service
  const { now } = appContext
  const email_address = `person-${++count}@example.com`
  const account = await createAccount(db, { email_address, password: PASSWORD }, now())
  const memberIds: Record<string, string> = {}
  for (const [workspaceId, access_level] of Object.entries(places)) {
    const person = { first_name: 'Person', last_name: String(count), email_address, account_id: account.id }
    memberIds[workspaceId] = (await createMember(db, workspaceId, { ...person, access_level }, now())).id
    appContext.models.remove(workspaceId) // does not wait for the notification
  }
  return withSession(service, { accountId: account.id, email_address, password: PASSWORD, memberIds }, signIn)
}

async function withSession(
  service: TestService,
  account: Pick<Person, 'accountId' | 'email_address' | 'password' | 'memberIds'>,
  signIn: Omit<SignIn, 'provenAt'>,
): Promise<Person> {
  const { db, appContext, app } = service
  const { now, settings } = appContext
  const device = { userAgent: 'Test browser', address: null }
  const { id: sessionId, token } = await createSession(
    db.sql,
    { accountId: account.accountId, ...device, ...signIn, provenAt: now() },
    now(),
  )
  const [cookie = ''] = sessionCookie(settings.brand, settings.appUrl).set(token).split(';')
  const headers = { Cookie: cookie, 'X-CSRF-Token': derivedSecret(token, 'csrf'), 'Sec-Fetch-Site': 'same-origin' }
  const client = createClient(app, '')
  const [first = service.workspaceId] = Object.keys(account.memberIds)
  return {
    ...account,
    sessionId,
    headers,
    ask: (method, path, body, workspace = first) =>
      client(method, path, body, { key: null, headers: { ...headers, 'X-Workspace': workspace } }),
    signInAgain: (again) => withSession(service, account, again),
  }
}
