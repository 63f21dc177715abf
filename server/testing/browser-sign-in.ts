/** A browser with its cookies, which signs in at providers as the console does. */

import type { Answer } from './client'
import type { TestProvider } from '../../e2e/support/openid-provider'
import type { TestService } from './service'

export interface TestBrowser {
  send(method: string, path: string, body?: object): Promise<Answer>
  /** Returns the URL of the provider's sign-in page. `id` is the workspace by default. */
  begin(id?: string): Promise<string>
  /** Sends the query of the address to which the provider returned. */
  finish(query: string, id?: string): Promise<Answer>
  session(): Promise<SessionData>
}

/** The members of the session that tests read. */
interface SessionData {
  readonly csrf_token: string | null
  readonly account: { readonly email_address: string } | null
  readonly session_workspace_id: string | null
  readonly workspaces: readonly { readonly id: string; readonly missing_step: string | null }[]
}

export function createBrowser({ request, workspaceId }: Pick<TestService, 'request' | 'workspaceId'>): TestBrowser {
  let cookie = ''
  let csrfToken = ''
  const send: TestBrowser['send'] = async (method, path, body) => {
    const headers = { Cookie: cookie, 'X-CSRF-Token': csrfToken, 'X-Workspace': workspaceId }
    const answer = await request(method, path, body, { key: null, headers })
    const set = answer.headers.get('set-cookie')?.split(';')[0]
    if (set !== undefined) cookie = `${set}; ${cookie}`
    return answer
  }
  const path = (id: string) => `/console/api/sign-in/providers/${id}`
  return {
    send,
    begin: async (id = workspaceId) => (await send('POST', path(id), {})).body.data.url,
    finish: (query, id = workspaceId) => send('POST', `${path(id)}/response`, { query }),
    async session() {
      const data: SessionData = (await send('GET', '/console/api/session')).body.data
      csrfToken = data.csrf_token ?? ''
      return data
    },
  }
}

/** Signs in at the provider of the workspace, or at the provider with this id. */
export async function signInWith(
  service: TestService,
  provider: TestProvider,
  login: string,
  id = service.workspaceId,
): Promise<TestBrowser & { readonly answer: Answer }> {
  const browser = createBrowser(service)
  const answer = await browser.finish(await provider.signIn(await browser.begin(id), login), id)
  return { ...browser, answer }
}
