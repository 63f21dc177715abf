/** Back and Forward: every screen as it was left, every filter, sort and layout as it was. Console: looks and behaves. */

import type { Page } from 'playwright/test'
import { consoleOf, expect, serviceUrl, test } from '../support/journey'
import { seedStartups, STARTUPS } from '../support/startups'

const TABLE = `/objects/${STARTUPS}?sort=name`

test.beforeAll(async ({ browser, baseURL, storageState }) => {
  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}), storageState })
  await seedStartups(await consoleOf(context.request), serviceUrl())
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'startups' })
const rowOf = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name })

/** The text of the row the keys act on. */
const presentRow = (page: Page) =>
  grid(page).evaluate((element) => {
    const cell = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
    return cell?.closest('[role=row]')?.textContent ?? ''
  })

test('Back from a record shows the table as it was left: how far it was scrolled, and the row', async ({ page }) => {
  await page.goto(TABLE)
  await expect(rowOf(page, 'Startup 0001')).toBeVisible()
  await grid(page).focus()
  const far = rowOf(page, 'Startup 0450')
  await expect(async () => {
    await page.keyboard.press('PageDown')
    await expect(far).toBeVisible({ timeout: 50 })
  }).toPass({ intervals: [20] })
  await page.keyboard.press('ArrowUp')
  const left = { top: await grid(page).evaluate((element) => element.scrollTop), row: await presentRow(page) }
  expect(left.row).toMatch(/Startup 04\d\d/)
  await page.keyboard.press('Control+Enter')
  await expect(page).toHaveURL(new RegExp(`/objects/${STARTUPS}/[0-9a-f-]{36}$`))
  await expect(page.getByRole('heading', { level: 1, name: /Startup 04/ })).toBeVisible()

  await page.goBack()
  await expect(grid(page)).toBeFocused()
  expect(await presentRow(page)).toBe(left.row)
  expect(await grid(page).evaluate((element) => element.scrollTop)).toBe(left.top)
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('heading', { level: 1, name: /Startup 04/ })).toBeVisible()
  // A link to the same table begins at its top.
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Startups' }).click()
  await expect(rowOf(page, 'Startup 0001')).toBeVisible()
  await page.goBack()
  await page.goBack()
  await expect(grid(page)).toBeFocused()
  expect(await presentRow(page)).toBe(left.row)
})

test('Back goes from filter to filter and from sort to sort, not from letter to letter', async ({ page }) => {
  await page.goto('/settings/account')
  await page.goto(`/objects/${STARTUPS}`)
  await expect(rowOf(page, 'Startup 0001')).toBeVisible()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.getByLabel('Attribute').selectOption('Name')
  const written = page.getByLabel('Filter value')
  await written.pressSequentially('startup 000', { delay: 120 })
  await expect(page).toHaveURL(/filter=.*startup\+000/)
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort=raised/)
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort=-raised/)
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Startup 0009')

  await page.goBack()
  await expect(page).toHaveURL(/sort=raised/)
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Startup 0001')
  await page.goBack()
  await expect(page).not.toHaveURL(/sort=/)
  await expect(written).toHaveValue('startup 000')
  await page.goBack()
  await expect(page).toHaveURL(`/objects/${STARTUPS}`)
  await expect.poll(() => grid(page).getByRole('row').count()).toBeGreaterThan(12)
  await expect(page.getByRole('group', { name: 'Condition' })).toHaveCount(0)
  await page.goForward()
  await expect(written).toHaveValue('startup 000')
  await expect(page.getByText('9', { exact: true })).toBeVisible()

  // What is written later, after something else was done, can be gone back from as well.
  await written.press('End')
  await written.press('1')
  await expect(grid(page).getByRole('row')).toHaveCount(2)
  await page.goBack()
  await expect(written).toHaveValue('startup 000')
  await page.goBack()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Account' })).toBeVisible()
})

test('Back leads through layouts of a list and filters of the audit log', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  const list = { name: 'Back and forth', parent_object: 'companies', workspace_access: 'full-access' }
  await v2('POST', '/lists', { data: { ...list, api_slug: 'back', workspace_member_access: [] } })
  const step = { title: 'Step', api_slug: 'step', type: 'status', ...plain }
  await v2('POST', '/lists/back/attributes', { data: step })
  await page.goto('/lists/back')
  await page.getByRole('radio', { name: 'Board' }).check()
  await expect(page.getByRole('region', { name: 'Board by Step' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('radio', { name: 'Table' })).toBeChecked()
  await page.goForward()
  await expect(page.getByRole('radio', { name: 'Board' })).toBeChecked()

  await page.goto('/settings/audit-log')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const all = await page.getByRole('row').count()
  const shown = page.getByLabel('Show')
  await shown.selectOption({ index: 1 })
  await expect(page).toHaveURL(/action=/)
  await page.goBack()
  await expect(shown).toHaveValue('')
  await expect(page.getByRole('row')).toHaveCount(all)
})

test('Back from a record shows the board as it was left: how far it was scrolled, and the card', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }
  const list = { name: 'Wide board', parent_object: 'companies', workspace_access: 'full-access' }
  await v2('POST', '/lists', { data: { ...list, api_slug: 'wide', workspace_member_access: [] } })
  await v2('POST', '/lists/wide/attributes', { data: { title: 'Step', api_slug: 'step', type: 'status', ...plain } })
  for (let step = 1; step <= 8; step++) {
    await v2('POST', '/lists/wide/attributes/step/statuses', { data: { title: `Step ${step}` } })
  }
  const company = await v2('POST', '/objects/companies/records', { data: { values: { name: 'At the far end' } } })
  const parent_record_id = company.body.data.id.record_id
  const data = { parent_object: 'companies', parent_record_id, entry_values: { step: 'Step 8' } }
  await v2('POST', '/lists/wide/entries', { data })
  await page.goto('/lists/wide?board=step')
  const card = page.getByRole('listitem').filter({ hasText: 'At the far end' })
  await card.focus()
  const left = () => page.getByRole('region', { name: 'Board by Step' }).evaluate((board) => board.scrollLeft)
  await expect.poll(left).toBeGreaterThan(500)
  const before = await left()
  await card.getByRole('link').press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'At the far end' })).toBeVisible()
  await page.goBack()
  await expect(card).toBeFocused()
  expect(await left()).toBe(before)
})

test('Back shows a long page where it was left', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await page.goto('/settings/objects/people')
  const last = page.locator('main').getByRole('link', { name: 'Twitter', exact: true })
  await last.scrollIntoViewIfNeeded()
  const scrolled = () => page.locator('main').evaluate((main) => main.scrollTop)
  const top = await scrolled()
  expect(top).toBeGreaterThan(100)
  await last.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Twitter' })).toBeVisible()
  expect(await scrolled()).toBe(0)
  await page.goBack()
  await expect(last).toBeVisible()
  await expect.poll(scrolled).toBe(top)
})
