/** Every page is accessible in both themes, and does not overflow on a narrow screen. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, serviceUrl, test, testSignedOut } from '../../support/journey'

const PAGES: readonly (readonly [string, string])[] = [
  ['/objects/deals?board=stage', 'Lead'],
  ['/dashboards', 'Charts of records, lists and SQL queries'],
  ['/settings/account', 'Account'],
  ['/settings/workspace', 'General'],
  ['/settings/members', 'Members'],
  ['/settings/teams', 'Teams'],
  ['/settings/sign-in', 'Requirements'],
  ['/settings/audit-log', 'Audit log'],
  ['/settings/personal-data', 'Personal data'],
  ['/settings/objects', 'Objects'],
  ['/settings/objects/deals', 'Deals'],
  ['/settings/objects/deals/stage', 'Deal stage'],
  ['/settings/activities', 'Activities'],
  ['/settings/activities/phone_calls/outcome', 'Outcome'],
  ['/settings/lists', 'Lists'],
  ['/settings/indexes', 'Indexes'],
  ['/settings/connected-accounts', 'Email and calendar accounts'],
  ['/settings/email-templates', 'Email templates'],
  ['/settings/import', 'Import email and calendar'],
  ['/settings/keys', 'API keys'],
  ['/settings/assistants', 'Assistants'],
  ['/settings/requests', 'Requests'],
  ['/settings/apps', 'Apps'],
  ['/objects/deals/trash', 'Trash'],
  ['/activities/phone_calls?new=1', 'Log phone call'],
  ['/home', 'My tasks'],
  ['/settings/nothing', 'Page not found'],
]

const DIALOGS: readonly (readonly [string, string])[] = [
  ['/objects/deals?board=stage', 'Cards'],
  ['/dashboards', 'New dashboard'],
  ['/settings/objects/people', 'New attribute'],
  ['/settings/objects', 'New object'],
  ['/settings/activities', 'New activity'],
  ['/settings/lists', 'New list'],
  ['/settings/keys', 'New key'],
  ['/settings/connected-accounts', 'Add account'],
  ['/settings/email-templates', 'New template'],
  ['/settings/apps', 'New app'],
  ['/settings/members', 'Invite'],
  ['/settings/teams', 'New team'],
  ['/settings/sign-in', 'Add domain'],
  ['/settings/account', 'Sign out everywhere'],
  ['/settings/sign-in', 'Set up provider'],
]

for (const [path, title] of PAGES) {
  test(`${path} is accessible`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByText(title).first()).toBeVisible()
    await expectAccessible(page)
  })
}

for (const [path, button] of DIALOGS) {
  test(`the dialog "${button}" is accessible`, async ({ page }) => {
    await page.goto(path)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessible(page)
  })
}

test('the palette is accessible', async ({ page }) => {
  await page.goto('/settings/account')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectAccessible(page)
})

for (const path of ['/sign-in', '/sign-in?forgotten', '/reset-password/x', '/invitations/x']) {
  testSignedOut(`${path} is accessible`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expectAccessible(page)
  })
}

test('no page overflows at 375 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 700 })
  const { settings } = await consoleOf(page.request)
  const redirect_uris = ['https://narrow.example/callback']
  const made = await settings('POST', '/apps', {
    name: 'Narrow',
    redirect_uris,
    scopes: ['record_permission:read-write'],
  })
  const { client_id } = made.body.data
  const asked = { response_type: 'code', client_id, redirect_uri: 'https://narrow.example/callback' }
  const consent = `/authorize?${new URLSearchParams(asked)}`
  for (const path of [...PAGES.map(([path]) => path), `/settings/apps/${client_id}`, consent]) {
    await page.goto(path)
    await expect(page.getByRole('heading').or(page.getByText('Page not found')).first()).toBeVisible()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(375)
  }
  await page.goto('/settings/members')
  await page.getByRole('button', { name: 'Navigation' }).click()
  await page.getByRole('link', { name: 'API keys' }).click()
  await expect(page.getByRole('heading', { name: 'API keys' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'API keys' })).toBeHidden()
  await settings('DELETE', `/apps/${client_id}`)
})

test('the first load is small, and loads nothing from another host', async ({ page }) => {
  let script = 0
  const foreign: string[] = []
  page.on('response', async (response) => {
    if (new URL(response.url()).origin !== serviceUrl()) foreign.push(response.url())
    if (response.url().endsWith('.js')) script += Number(response.headers()['content-length'] ?? 0)
  })
  await page.goto('/settings/account')
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
  expect(foreign).toEqual([])
  expect(script).toBeGreaterThan(10_000)
  expect(script).toBeLessThan(100_000)
})
