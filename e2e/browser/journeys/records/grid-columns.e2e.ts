/** Columns are sorted, filtered, inserted, hidden and resized from their headings. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { seedDevices } from '../../support/seed'

const NOUN = `column${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=name&columns=name,serial,weight`

test.beforeEach(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), NOUN)
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: OBJECT })
const heading = (page: Page, title: string) => grid(page).getByRole('columnheader', { name: title })
const firstRow = (page: Page) => grid(page).getByRole('row').nth(1)
const choose = (page: Page, item: string) => page.getByRole('menuitem', { name: item }).press('Enter')

async function openMenu(page: Page, title: string) {
  await heading(page, title).getByRole('button').first().press('ArrowDown')
  await expect(page.getByRole('menu', { name: `${title} column` })).toBeVisible()
}

async function expectColumns(page: Page, ...titles: string[]) {
  await expect(grid(page).getByRole('columnheader')).toHaveText(['', ...titles])
}

test('the menu of a column sorts, filters, inserts, moves and hides it by keyboard', async ({ page }) => {
  await page.goto(TABLE)
  await expect(firstRow(page)).toContainText('Astrolabe')
  await openMenu(page, 'Weight')
  await expectAccessible(page)
  await page.getByRole('menuitemradio', { name: 'Sort descending' }).press('Enter')
  await expect(firstRow(page)).toContainText('Furnace')
  await openMenu(page, 'Weight')
  await choose(page, 'Remove sort')
  await expect(heading(page, 'Weight')).toHaveAttribute('aria-sort', 'none')

  await openMenu(page, 'Serial')
  await choose(page, 'Insert right…')
  await expectAccessible(page)
  await page.keyboard.type('pri')
  await page.keyboard.press('Enter')
  await expectColumns(page, 'Name', 'Serial', 'Price', 'Weight')
  await openMenu(page, 'Price')
  await choose(page, 'Move left')
  await expectColumns(page, 'Name', 'Price', 'Serial', 'Weight')
  await openMenu(page, 'Serial')
  await choose(page, 'Hide column')
  await expectColumns(page, 'Name', 'Price', 'Weight')
  await expect(grid(page)).toBeFocused()

  await openMenu(page, 'Weight')
  await choose(page, 'Filter by this column')
  await expect(page.getByRole('button', { name: 'Attribute: Weight' })).toBeVisible()
  await expect(page.getByLabel('Filter value')).toBeFocused()
  await page.getByLabel('Filter value').fill('3')
  await expect(grid(page).getByRole('row')).toHaveCount(2)
})

test('a column is resized by dragging its edge and by keyboard, and keeps its width', async ({ page }) => {
  await page.goto(TABLE)
  await expect(firstRow(page)).toContainText('Astrolabe')
  const width = async () => Math.round((await heading(page, 'Serial').boundingBox())?.width ?? 0)
  const before = await width()
  const box = await heading(page, 'Serial').locator('[data-resize]').boundingBox()
  if (!box) throw new Error('The edge has no place.')
  await page.mouse.move(box.x + 4, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + 50, box.y + 10, { steps: 4 })
  await page.mouse.move(box.x + 84, box.y + 10)
  await page.mouse.up()
  await expect.poll(width).toBe(before + 80)
  await expectColumns(page, 'Name', 'Serial', 'Weight')
  await heading(page, 'Serial').getByRole('button').first().press('Control+ArrowLeft')
  await expect.poll(width).toBe(before + 64)
  await page.reload()
  await expect(firstRow(page)).toContainText('Astrolabe')
  expect(await width()).toBe(before + 64)
  await openMenu(page, 'Serial')
  await choose(page, 'Reset width')
  await expect.poll(width).toBe(before)
})
