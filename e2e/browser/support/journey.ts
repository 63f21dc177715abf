/**
 * What every journey begins with: a page of the service, signed in as its first admin, that tolerates no error in the
 * browser's console and no fault of the service.
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

/** A browser says so of every refusal, which journeys cause on purpose. */
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

/** What a browser holds that nobody signed in with. */
export const SIGNED_OUT = { cookies: [], origins: [] }

/** For whoever is not signed in. */
export const testSignedOut = test.extend({ storageState: SIGNED_OUT })

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The console's own requests, for what a journey needs and is not about. */
export interface Console {
  readonly workspaceId: string
  /** `/v2` as the person who is signed in. */
  v2(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
  /** The workspace's settings. */
  settings(method: string, path: string, data?: unknown): Promise<{ readonly status: number; readonly body: Body }>
}

// Journeys name the members they expect; a wrong one is undefined and fails there.
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

/** `/v2` with a token, as programs use it. */
export async function withToken(token: string, path: string): Promise<{ status: number; body: Body }> {
  const answer = await fetch(serviceUrl() + path, { headers: { Authorization: `Bearer ${token}` } })
  return { status: answer.status, body: await answer.json() }
}
