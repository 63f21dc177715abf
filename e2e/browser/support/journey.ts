/**
 * The fixtures of every journey: a page that is signed in as the first admin, and that fails for errors in the console of the
 * browser and for 5xx responses.
 */

import { test as base, type APIRequestContext, type Page } from 'playwright/test'
import { ENV } from './start-service'

export { expect } from 'playwright/test'

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

/** The browser logs this for every refused request, which journeys cause on purpose. */
const ABOUT_ANSWERS = /^Failed to load resource/

export const test = base.extend<{ problems: string[] }>({
  // Playwright reads from the first parameter which fixtures are used.
  // oxlint-disable-next-line no-empty-pattern
  baseURL: async ({}, use) => use(serviceUrl()),
  // oxlint-disable-next-line no-empty-pattern
  storageState: async ({}, use) => use(stateFile()),
  problems: [
    async ({ context }, use) => {
      const problems: string[] = []
      context.on('console', (message) => {
        if (message.type() === 'error' && !ABOUT_ANSWERS.test(message.text())) problems.push(message.text())
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

/** The storage state of a browser without a session. */
export const SIGNED_OUT = { cookies: [], origins: [] }

/** For journeys without a session. */
export const testSignedOut = test.extend({ storageState: SIGNED_OUT })

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Requests as the console sends them, for what a journey needs and does not test. */
export interface Console {
  readonly workspaceId: string
  /** Sends a request to `/v2` as the signed-in person. */
  v2(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
  /** Sends a request about the settings of the workspace. */
  settings(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
}

// A journey that names a wrong member gets undefined and fails.
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
  return {
    workspaceId,
    v2: (method, path, data) => call(method, `/console/v2${path}`, data),
    settings: (method, path, data) => call(method, `/console/api/workspaces/${workspaceId}${path}`, data),
  }
}

/** Sends a request to `/v2` with a token, as programs do. */
export async function withToken(token: string, path: string): Promise<{ status: number; body: Body }> {
  const answer = await fetch(serviceUrl() + path, { headers: { Authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.json() }
}
