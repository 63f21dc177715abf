/** Narrow screens and long words: no page overflows, and the navigation covers the screen. */

import type { Locator, Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test, testSignedOut } from '../../support/journey'

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2).slice(0, 120)
const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }

/** Neither the page nor a part that scrolls vertically may overflow horizontally. */
async function expectNoOverflow(page: Page) {
  await expect(page.locator('.skeleton')).toHaveCount(0)
  const wide = await page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll<HTMLElement>('main, nav, dialog, .detail')]
    return boxes
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ tagName, scrollWidth, clientWidth }) => `${tagName}: ${scrollWidth} of ${clientWidth}`)
  })
  expect(wide, page.url()).toEqual([])
}

async function expectSameLine(one: Locator, other: Locator) {
  const distance = async () => ((await one.boundingBox())?.y ?? 0) - ((await other.boundingBox())?.y ?? Infinity)
  await expect.poll(distance).toBe(0)
}

test('a word of 120 letters overflows no page at 390 pixels', async ({ page }) => {
  const { v2, settings } = await consoleOf(page.request)
  const post = async (path: string, data: object) => (await v2('POST', path, { data })).body.data
  await post('/objects', { api_slug: 'long_words', singular_noun: LONG.slice(1), plural_noun: LONG })
  const title = LONG.slice(0, 90)
  await post('/objects/long_words/attributes', { title: 'Name', api_slug: 'name', type: 'text', ...plain })
  await post('/objects/long_words/attributes', { title, api_slug: 'kind', type: 'select', ...plain })
  await post('/objects/long_words/attributes/kind/options', { title: LONG })
  const { id } = await post('/objects/long_words/records', { values: { name: LONG, kind: LONG } })
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await post('/lists', { name: LONG, api_slug: 'long_list', parent_object: 'long_words', ...access })
  await post('/lists/long_list/attributes', { title, api_slug: 'step', type: 'status', ...plain })
  await post('/lists/long_list/attributes/step/statuses', { title: LONG })
  const entry = { parent_object: 'long_words', parent_record_id: id.record_id, entry_values: { step: LONG } }
  await post('/lists/long_list/entries', entry)
  const target_url = `https://${'long'.repeat(12)}.example/${'path'.repeat(30)}`
  const scopes = ['record_permission:read-write', 'object_configuration:read']
  const app = (await settings('POST', '/apps', { name: LONG, redirect_uris: [target_url], scopes })).body.data
  const webhook = await post('/webhooks', {
    target_url,
    subscriptions: [{ event_type: 'record.created', filter: null }],
  })
  const endpoint = await post('/test_endpoints', {})
  const asked = { response_type: 'code', client_id: app.id, redirect_uri: target_url }

  await page.setViewportSize({ width: 390, height: 780 })
  for (const path of [
    '/home',
    '/objects/long_words',
    `/objects/long_words/${id.record_id}`,
    `/objects/long_words/${id.record_id}?tab=lists`,
    `/objects/long_words/${id.record_id}?tab=activity`,
    '/objects/long_words/import',
    '/lists/long_list',
    '/lists/long_list?board=step',
    '/settings/objects',
    '/settings/objects/long_words',
    '/settings/objects/long_words/kind',
    '/settings/lists',
    '/settings/lists/long_list',
    '/settings/connected-accounts',
    '/settings/email-templates',
    '/settings/import',
    '/settings/apps',
    `/settings/apps/${app.id}`,
    '/settings/members',
    '/settings/audit-log',
    '/settings/keys',
    '/settings/assistants',
    '/settings/requests',
    '/webhooks',
    `/webhooks/${webhook.id.webhook_id}`,
    '/webhooks/test-endpoints',
    `/webhooks/test-endpoints/${endpoint.test_endpoint_id}`,
    `/authorize?${new URLSearchParams(asked)}`,
    `/authorize?client_id=${LONG}`,
    `/${LONG}/${LONG}`,
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expectNoOverflow(page)
  }
  await page.goto('/objects/long_words')
  await expectSameLine(page.getByRole('button', { name: 'More actions' }), page.getByRole('link', { name: 'Import' }))
  await page.goto(`/objects/long_words/${id.record_id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoOverflow(page)
  await v2('DELETE', `/objects/long_words/records/${id.record_id}`)
  await page.setViewportSize({ width: 320, height: 600 })
  await page.goto('/objects/long_words')
  await expect(page.getByRole('link', { name: 'Import a CSV file' })).toBeInViewport({ ratio: 1 })
  await settings('DELETE', `/apps/${app.id}`)
})

test('the action of a wide page is beside a long description', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 700 })
  await page.goto('/dashboards')
  const action = await page.getByRole('button', { name: 'New dashboard' }).first().boundingBox()
  const description = await page.getByText('Charts of records, lists and SQL queries.').boundingBox()
  expect(action?.x).toBeGreaterThan((description?.x ?? Infinity) + (description?.width ?? 0))
})

test('the editor of many options stays within a narrow screen', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const slug = `swatches_${crypto.randomUUID().slice(0, 8)}`
  const post = async (path: string, data: object) => (await v2('POST', path, { data })).body.data
  await post('/objects', { api_slug: slug, singular_noun: slug, plural_noun: `${slug} all` })
  await post(`/objects/${slug}/attributes`, { title: 'Name', api_slug: 'name', type: 'text', ...plain })
  const colors = { title: 'Colors', api_slug: 'colors', type: 'select', ...plain, is_multiselect: true }
  await post(`/objects/${slug}/attributes`, colors)
  const titles = ['Cadmium yellow', 'Burnt umber', 'Ultramarine', 'Viridian', 'Alizarin crimson']
  for (const title of titles) await post(`/objects/${slug}/attributes/colors/options`, { title })
  const { id } = await post(`/objects/${slug}/records`, { values: { name: 'Palette', colors: titles } })

  await page.setViewportSize({ width: 375, height: 780 })
  await page.goto(`/objects/${slug}/${id.record_id}`)
  await page.getByRole('button', { name: 'Edit Colors' }).press('Enter')
  const picker = page.getByRole('combobox', { name: 'Colors' })
  await expect(picker).toBeFocused()
  await expect(page.getByRole('button', { name: 'Remove Alizarin crimson' })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('option', { name: 'Cadmium yellow' })).toBeVisible()
  const right = await page
    .getByRole('listbox', { name: 'Colors' })
    .evaluate((list) => list.getBoundingClientRect().right)
  expect(right).toBeLessThanOrEqual(375)
})

test('the navigation of a narrow screen covers the header of a table', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto('/objects/companies')
  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/objects/companies/records', { data: { values: { name: 'Under the drawer' } } })
  await page.reload()
  const header = page.getByRole('columnheader', { name: 'Name' })
  await expect(header).toBeVisible()
  const box = await header.boundingBox()
  expect(box?.width).toBeLessThanOrEqual(160)
  await page.getByRole('button', { name: 'Navigation' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  const isCovered = () =>
    page.evaluate(
      ([x, y]) => document.elementFromPoint(x ?? 0, y ?? 0)?.closest('[role=grid]') === null,
      [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10],
    )
  await expect.poll(isCovered).toBe(true)
})

for (const [what, run] of [
  ['a signed-in person', test],
  ['a signed-out person', testSignedOut],
] as const) {
  run(`an unknown address shows the not-found page to ${what}`, async ({ page }) => {
    const answer = await page.goto('/nothing/here')
    expect(answer?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 780 })
    await expectNoOverflow(page)
    await page.getByRole('link', { name: 'Go to records' }).focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/objects|\/sign-in/)
  })

  run(`a wrong link to /authorize tells ${what} what to do`, async ({ page }) => {
    const answer = await page.goto('/authorize?client_id=nobody&redirect_uri=https://evil.example')
    expect(answer?.status()).toBe(400)
    await expect(page).toHaveURL(/\/authorize\?/)
    await expect(page.getByRole('heading', { name: "This link doesn't work" })).toBeVisible()
    await expect(page.getByText('Go back to the app and try again.')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Go to the console' }).focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/objects|\/sign-in/)
  })
}
