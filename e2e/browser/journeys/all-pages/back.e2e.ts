/** Back and Forward restore scroll positions, filters, sorts and layouts. */

import type { Page } from 'playwright/test'
import { adminContext, consoleOf, expect, test } from '../../support/journey'

/** More than two pages of rows. */
const COUNT = 450
const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { v2 } = await consoleOf(context.request)
  await v2('POST', '/objects', { data: { api_slug: 'voyages', singular_noun: 'Voyage', plural_noun: 'Voyages' } })
  for (const data of [
    { title: 'Name', api_slug: 'name', type: 'text', ...plain },
    { title: 'Length', api_slug: 'length', type: 'number', ...plain },
  ]) {
    await v2('POST', '/objects/voyages/attributes', { data })
  }
  const left = Array.from({ length: COUNT }, (_, at) => at + 1)
  const work = async () => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const values = { name: `Voyage ${String(index).padStart(4, '0')}`, length: index }
      await v2('POST', '/objects/voyages/records', { data: { values } })
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'voyages' })
const rowOf = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name })

/** The text of the active row. */
const activeRow = (page: Page) =>
  grid(page).evaluate((element) => {
    const cell = document.getElementById(element.getAttribute('aria-activedescendant') ?? '')
    return cell?.closest('[role=row]')?.textContent ?? ''
  })

test('Back from a record restores the scroll position and the active row of the table', async ({ page }) => {
  await page.goto('/objects/voyages?sort=name')
  await expect(rowOf(page, 'Voyage 0001')).toBeVisible()
  await grid(page).focus()
  const far = rowOf(page, 'Voyage 0430')
  await expect(async () => {
    await page.keyboard.press('PageDown')
    await expect(far).toBeVisible({ timeout: 50 })
  }).toPass({ intervals: [20] })
  await page.keyboard.press('ArrowUp')
  const left = { top: await grid(page).evaluate((element) => element.scrollTop), row: await activeRow(page) }
  expect(left.row).toMatch(/Voyage 04\d\d/)
  await page.keyboard.press('Control+Enter')
  await expect(page).toHaveURL(/\/objects\/voyages\/[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { level: 1, name: /Voyage 04/ })).toBeVisible()

  await page.goBack()
  await expect(grid(page)).toBeFocused()
  expect(await activeRow(page)).toBe(left.row)
  expect(await grid(page).evaluate((element) => element.scrollTop)).toBe(left.top)
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('heading', { level: 1, name: /Voyage 04/ })).toBeVisible()
  // A link to the same table shows its top.
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Voyages' }).click()
  await expect(rowOf(page, 'Voyage 0001')).toBeVisible()
  await page.goBack()
  await page.goBack()
  await expect(grid(page)).toBeFocused()
  expect(await activeRow(page)).toBe(left.row)
})

test('Back restores the previous filter and sort, not the previous letter', async ({ page }) => {
  await page.goto('/settings/account')
  await page.goto('/objects/voyages')
  await expect(rowOf(page, 'Voyage 0001')).toBeVisible()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('Name')
  await page.keyboard.press('Enter')
  const written = page.getByLabel('Filter value')
  await written.pressSequentially('voyage 000', { delay: 120 })
  await expect(page).toHaveURL(/filter=.*voyage\+000/)
  await page.getByRole('columnheader', { name: 'Length' }).getByRole('button').first().click()
  await expect(page).toHaveURL(/sort=length/)
  await page.getByRole('columnheader', { name: 'Length' }).getByRole('button').first().click()
  await expect(page).toHaveURL(/sort=-length/)
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Voyage 0009')

  await page.goBack()
  await expect(page).toHaveURL(/sort=length/)
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Voyage 0001')
  await page.goBack()
  await expect(page).not.toHaveURL(/sort=/)
  await expect(written).toHaveValue('voyage 000')
  await page.goBack()
  await expect(page).toHaveURL('/objects/voyages')
  await expect.poll(() => grid(page).getByRole('row').count()).toBeGreaterThan(12)
  await expect(page.getByRole('group', { name: 'Condition' })).toHaveCount(0)
  await page.goForward()
  await expect(written).toHaveValue('voyage 000')
  await expect(grid(page).getByRole('row')).toHaveCount(10)

  // Typing after another change adds a history entry of its own.
  await written.press('End')
  await written.press('1')
  await expect(grid(page).getByRole('row')).toHaveCount(2)
  await page.goBack()
  await expect(written).toHaveValue('voyage 000')
  await page.goBack()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible()
})

test('Back restores the layout of a list and the filter of the audit log', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
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

test('Back from a record restores the scroll position and the focused card of the board', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
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

test('Back restores the scroll position of a long page', async ({ page }) => {
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
