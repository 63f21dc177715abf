/**
 * The fixtures of all journeys: a page that is signed in as the first admin. A journey fails after an error in the console of
 * the browser or a response with status 500 or higher.
 */

import {
  test as base,
  expect as baseExpect,
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  type Page,
} from 'playwright/test'
import { ENV } from './start-service'

/** The first parts of the pages of a workspace, below its slug. */
const PAGES = 'home|objects|activities|lists|notes|tasks|meetings|inbox|dashboards|sql|webhooks|settings'
const WORKSPACE = new RegExp(`^/(?!(?:${PAGES})/)[^/]+(?=/(?:${PAGES})(?:/|$))`)

/** The URL without the slug of the workspace. */
const withoutWorkspace = (url: string): string => {
  const { origin, pathname, search, hash } = new URL(url)
  return origin + pathname.replace(WORKSPACE, '') + search + hash
}

/** `toHaveURL` ignores the workspace in the URL: journeys name pages within it. */
export const expect = baseExpect.extend({
  async toHaveURL(page: Page, expected: string | RegExp | ((url: URL) => boolean), options?: { timeout?: number }) {
    const whole = typeof expected === 'string' ? new URL(expected, serviceUrl()).href : expected
    const isExpected = (url: URL) => {
      const shown = withoutWorkspace(url.href)
      if (typeof whole === 'function') return whole(new URL(shown))
      return typeof whole === 'string' ? shown === whole : whole.test(shown)
    }
    const result = { name: 'toHaveURL', expected, pass: !this.isNot, message: () => '' }
    try {
      if (this.isNot) await baseExpect(page).not.toHaveURL(isExpected, options)
      else await baseExpect(page).toHaveURL(isExpected, options)
      return result
    } catch {
      const shown = withoutWorkspace(page.url())
      return { ...result, pass: this.isNot, message: () => `Expected the URL ${String(expected)}, found ${shown}.` }
    }
  },
})

export const ADMIN = {
  workspace: 'Analytical Engines',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  password: 'notes on the engine',
} as const

const settingOf = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is set by the start of the service.`)
  return value
}

export const stateFile = () => settingOf(ENV.state)
export const serviceUrl = () => settingOf(ENV.url)

/** The message of the browser for a refused request, which journeys cause on purpose. */
const REFUSED_REQUEST = /^Failed to load resource/

export const test = base.extend<{ problems: string[] }>({
  // Playwright reads the used fixtures from the first parameter.
  // oxlint-disable-next-line no-empty-pattern
  baseURL: async ({}, use) => use(serviceUrl()),
  // oxlint-disable-next-line no-empty-pattern
  storageState: async ({}, use) => use(stateFile()),
  problems: [
    async ({ context }, use) => {
      const problems: string[] = []
      context.on('console', (message) => {
        if (message.type() === 'error' && !REFUSED_REQUEST.test(message.text())) problems.push(message.text())
      })
      context.on('weberror', (error) => problems.push(error.error().message))
      context.on('response', (response) => {
        if (response.status() >= 500) problems.push(`${response.url()} answered ${response.status()}`)
      })
      await use(problems)
      if (problems.length > 0) throw new Error(`The browser had problems:\n${problems.join('\n')}`)
    },
    { auto: true },
  ],
})

/** The storage of a browser without a session. */
export const SIGNED_OUT = { cookies: [], origins: [] }

/** A second context of the first admin, for what all journeys of a file need, also when the next journey starts signed out. */
export const adminContext = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ baseURL: serviceUrl(), storageState: stateFile() })

/** A journey that starts signed out. */
export const testSignedOut = test.extend({ storageState: SIGNED_OUT })

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Requests of the console, for the preparation of a journey. */
export interface Console {
  readonly workspaceId: string
  /** Requests to `/v2` as the signed-in member. */
  v2(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
  /** Creates something by `POST /v2…`. Returns its data. Throws for a refusal. */
  create(path: string, data: unknown): Promise<Body>
  /** Requests to the settings of the workspace. */
  settings(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
}

// Journeys read the members that they expect; a missing one is undefined and fails the journey.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

export async function consoleOf(request: APIRequestContext): Promise<Console> {
  const { data } = await (await request.get('/console/api/session')).json()
  const workspaceId: string = data.workspaces[0].id
  const headers = { 'X-CSRF-Token': data.csrf_token, 'X-Workspace': workspaceId }
  const call = async (method: string, url: string, body?: unknown) => {
    const answer = await request.fetch(url, { method, headers, ...(body === undefined ? {} : { data: body }) })
    return { status: answer.status(), body: await answer.json() }
  }
  const v2: Console['v2'] = (method, path, data) => call(method, `/console/v2${path}`, data)
  return {
    workspaceId,
    v2,
    async create(path, data) {
      const { status, body } = await v2('POST', path, { data })
      if (status !== 200) throw new Error(body.message)
      return body.data
    },
    settings: (method, path, data) => call(method, `/console/api/workspaces/${workspaceId}${path}`, data),
  }
}

/** Requests `/v2` with a token, as programs do. */
export async function withToken(token: string, path: string): Promise<{ status: number; body: Body }> {
  const answer = await fetch(serviceUrl() + path, { headers: { Authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.json() }
}
