/** Rows are selected by mouse and deleted by key; the filter panel keeps the keys that are typed in it. */

import type { Page } from 'playwright/test'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { seedDevices } from '../../support/seed'

const OBJECT = 'tools'
const TABLE = `/objects/${OBJECT}?sort=name`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), 'tool')
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'tools' })
const cell = (page: Page, row: string, at: number) =>
  grid(page).getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(at)
const attributeOf = (page: Page) => page.getByRole('button', { name: /^Attribute:/ })
const selectedText = (page: Page) => page.evaluate(() => String(window.getSelection()))

test('rows are selected by mouse, and Delete or Backspace asks to delete them', async ({ page }) => {
  await page.goto(TABLE)
  await cell(page, 'Astrolabe', 0).click()
  await cell(page, 'Barometer', 0).click()
  await expect(page.getByText('2 selected')).toBeVisible()
  const dialog = page.getByRole('dialog', { name: 'Delete 2 tools?' })
  await page.keyboard.press('Delete')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Backspace')
  await dialog.getByRole('button', { name: 'Delete 2' }).press('Enter')
  await expect(cell(page, 'Astrolabe', 0)).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
})

test('all rows are selected at the head of the table, and Delete asks to delete them', async ({ page }) => {
  await page.goto(TABLE)
  await grid(page).getByRole('checkbox').click()
  await page.keyboard.press('Delete')
  await expect(page.getByRole('dialog', { name: /^Delete \d+ tools\?$/ })).toBeVisible()
})

test('Shift and a press on select boxes select the rows between, and on cells a range, and no text of the page', async ({
  page,
}) => {
  await page.goto(TABLE)
  await cell(page, 'Compass', 0).click()
  await cell(page, 'Engine', 0).click({ modifiers: ['Shift'] })
  await expect(page.getByText('3 selected')).toBeVisible()
  expect(await selectedText(page)).toBe('')
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(grid(page)).toBeFocused()

  await cell(page, 'Dividers', 3).click()
  await cell(page, 'Furnace', 2).click({ modifiers: ['Shift'] })
  await expect(page.getByText('3 rows, 2 columns selected')).toBeAttached()
  expect(await selectedText(page)).toBe('')
  await page.keyboard.press('Shift+Space')
  await expect(page.getByText('3 selected')).toBeVisible()
  await page.keyboard.press('Delete')
  await expect(page.getByRole('dialog', { name: 'Delete 3 tools?' })).toBeVisible()
})

test('a new condition takes the focus, and letters typed in the filter panel are no shortcuts', async ({ page }) => {
  await page.goto(TABLE)
  await expect(cell(page, 'Compass', 0)).toBeVisible()
  await page.keyboard.press('f')
  const add = page.getByRole('button', { name: 'Add condition' })
  await expect(add).toBeFocused()
  await page.keyboard.press('c')
  await page.keyboard.press('f')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await add.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search attributes' })).toBeFocused()
  await page.keyboard.type('Weight')
  await page.keyboard.press('Enter')
  await expect(attributeOf(page)).toHaveText('Weight')
  await expect(page.getByLabel('Filter value')).toBeFocused()
  await page.keyboard.type('3 kg')
  await expect(page.getByRole('alert')).toHaveText('Enter a number, such as 1200 or 9.5.')
  await expect(page.getByLabel('Filter value')).toHaveValue('3 kg')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('3')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(cell(page, 'Barometer', 0)).toHaveCount(0)
  await add.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search attributes' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(attributeOf(page).nth(1)).toBeFocused()
  await page.getByRole('button', { name: 'Remove condition' }).nth(1).press('Enter')
  await expect(attributeOf(page)).toBeFocused()
  await page.getByRole('button', { name: 'Remove condition' }).press('Enter')
  await expect(add).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(add).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Filter' })).toBeFocused()
})

test('a condition of a webhook takes the focus, too', async ({ page }) => {
  await page.goto('/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).first().press('Enter')
  await page.getByRole('checkbox', { name: 'record.created', exact: true }).press('Space')
  const add = page.getByRole('button', { name: 'Add a condition for record.created' })
  await add.press('Enter')
  const condition = page.getByRole('group', { name: 'Condition for record.created' })
  await expect(condition.getByRole('combobox').first()).toBeFocused()
  await condition.getByRole('button').press('Enter')
  await expect(add).toBeFocused()
})

test('columns are chosen and moved by keyboard without losing the focus', async ({ page }) => {
  await page.goto(TABLE)
  await page.getByRole('button', { name: 'Columns' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  const up = dialog.getByRole('button', { name: 'Move Metals up' })
  await up.press('Enter')
  await expect(up).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Move Metals down' })).toBeFocused()
  await dialog.getByRole('checkbox', { name: 'Metals' }).press('Space')
  await expect(dialog.getByRole('checkbox', { name: 'Metals' })).not.toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: 'Metals' })).toBeFocused()
})
