/** Values that are typed into cells: numbers and amounts as people write them, ratings and times. */

import type { Page } from 'playwright/test'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed, seedDevices } from '../../support/seed'

const OBJECT = 'planimeters'
const TABLE = `/objects/${OBJECT}?sort=name&columns=name,weight,price,stars,seen`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const own = await consoleOf(context.request)
  await seedDevices(own, 'planimeter')
  await own.v2('POST', `/objects/${OBJECT}/attributes`, { data: attribute('Stars', 'stars', 'rating') })
  await own.v2('POST', `/objects/${OBJECT}/attributes`, { data: attribute('Seen', 'seen', 'timestamp') })
  await context.close()
})

const cell = (page: Page, row: number, column: number) =>
  page.getByRole('grid', { name: OBJECT }).getByRole('row').nth(row).getByRole('gridcell').nth(column)

/** Opens the editor of a cell. */
async function edit(page: Page, row: number, column: number) {
  await cell(page, row, column).click()
  await page.keyboard.press('Enter')
}

test('numbers and amounts are read as cells show them, and an amount of another currency is refused', async ({
  page,
}) => {
  await page.goto(TABLE)
  await expect(cell(page, 1, 1)).toHaveText('Astrolabe')
  await edit(page, 1, 2)
  await page.keyboard.type('12,345')
  await page.keyboard.press('Enter')
  await expect(cell(page, 1, 2)).toHaveText('12,345')
  await edit(page, 1, 3)
  await page.keyboard.type('€1,200.50')
  await page.keyboard.press('Enter')
  await expect(cell(page, 1, 3)).toHaveText('€1,200.50')
  await edit(page, 1, 3)
  await page.keyboard.type('$300')
  await page.keyboard.press('Enter')
  const editor = page.getByRole('dialog', { name: 'Edit Price' })
  await expect(editor.getByRole('alert')).toHaveText(/^Enter an amount in this attribute's currency/)
  await page.keyboard.press('Escape')
  await expect(cell(page, 1, 3)).toHaveText('€1,200.50')
})

test('a digit in the editor of a rating chooses its stars, and Enter keeps them', async ({ page }) => {
  await page.goto(TABLE)
  await expect(cell(page, 2, 1)).toHaveText('Barometer')
  const stars = async () => {
    const { values } = await recordNamed(await consoleOf(page.request), OBJECT, 'Barometer')
    return values.stars[0]?.value
  }
  await edit(page, 2, 4)
  await page.keyboard.press('4')
  await page.keyboard.press('Enter')
  await expect.poll(stars).toBe(4)
  await edit(page, 2, 4)
  await page.keyboard.press('Enter')
  await edit(page, 2, 4)
  await page.keyboard.press('0')
  await page.keyboard.press('Enter')
  await expect.poll(stars).toBeUndefined()
})

test('a time is entered without seconds', async ({ page }) => {
  await page.goto(TABLE)
  await expect(cell(page, 3, 1)).toHaveText('Compass')
  await edit(page, 3, 5)
  await page.keyboard.type('05062025')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('0230PM')
  await page.keyboard.press('Enter')
  await expect(cell(page, 3, 5)).toContainText('ago')
  const seen = async () => {
    const { values } = await recordNamed(await consoleOf(page.request), OBJECT, 'Compass')
    return String(values.seen[0]?.value)
  }
  await expect.poll(seen).toMatch(/^2025-05-0\dT\d\d:[03]0:00/)
})

test('a press beside a name selects the cell, and one on the name opens the record', async ({ page }) => {
  await page.goto(TABLE)
  const name = cell(page, 4, 1)
  const link = name.getByRole('link', { name: 'Dividers' })
  await expect(link).toBeVisible()
  const box = await name.boundingBox()
  await name.click({ position: { x: (box?.width ?? 0) * 0.7, y: 5 } })
  await expect(page.getByRole('grid', { name: OBJECT })).toBeFocused()
  await expect(page).toHaveURL(TABLE)
  // A callback of the table must not run after it was left.
  await page.keyboard.press('ArrowDown')
  await page.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href$="/tasks"]')?.click())
  await expect(page.getByRole('heading', { level: 1, name: 'Tasks' })).toBeVisible()
  await page.goBack()
  await link.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Dividers' })).toBeVisible()
})
