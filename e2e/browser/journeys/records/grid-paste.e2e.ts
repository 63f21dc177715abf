/** Cells are selected with the mouse and pasted from a spreadsheet; refused cells are named. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { recordNamed, seedDevices } from '../../support/seed'

const NOUN = `ledger${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=serial&columns=name,serial,metals,weight,price,website,bought`

test.beforeEach(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), NOUN)
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: OBJECT })
const cell = (page: Page, row: number, column: number) =>
  grid(page).getByRole('row').nth(row).getByRole('gridcell').nth(column)
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })

/** Pastes what another program copied. */
const pasteText = (page: Page, text: string) =>
  grid(page).evaluate((element, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)

test('a range is selected by dragging and filled with one cell', async ({ page }) => {
  await page.goto(TABLE)
  await expect(cell(page, 1, 1)).toHaveText('Astrolabe')
  await cell(page, 1, 4).hover()
  await page.mouse.down()
  await cell(page, 3, 5).hover()
  await page.mouse.up()
  await expect(page.getByText('3 rows, 2 columns selected')).toBeAttached()
  await pasteText(page, '7')
  for (const row of [1, 2, 3]) {
    await expect(cell(page, row, 4)).toHaveText('7')
    await expect(cell(page, row, 5)).toHaveText('€7')
  }
  await expect(cell(page, 4, 4)).toHaveText('4')
})

test('cells of a spreadsheet are read by type, and refused ones are named while the others are written', async ({
  page,
}) => {
  await page.goto(TABLE)
  await cell(page, 4, 3).click()
  await pasteText(
    page,
    'Brass, Steel\t1,234.5\t€9.50\texample.com\tMay 6, 2025\r\nGold\theavy\t5\tnowhere\t2025-02-30\r\n',
  )
  await expect(cell(page, 4, 3)).toHaveText('BrassSteel')
  await expect(cell(page, 4, 4)).toHaveText('1234.5')
  await expect(cell(page, 4, 5)).toHaveText('€9.50')
  await expect(cell(page, 4, 6)).toHaveText('example.com')
  await expect(cell(page, 4, 7)).toHaveText('May 6, 2025')
  await expect(cell(page, 5, 5)).toHaveText('€5')
  await expect(cell(page, 5, 4)).toHaveText('5')
  const message = toast(page, '4 values weren’t saved.')
  await expect(message).toContainText('Metals of Engine: “Gold”: No option has this title.')
  await expect(message).toContainText('Weight of Engine: “heavy”: Enter a number, such as 1200 or 9.5.')
  await expect(message).toContainText('And 1 more.')
})

test('a step that a newer change overtook is not undone', async ({ page }) => {
  await page.goto(TABLE)
  await cell(page, 1, 4).click()
  await cell(page, 2, 4).click({ modifiers: ['Shift'] })
  await pasteText(page, '70\n71')
  await expect(cell(page, 2, 4)).toHaveText('71')
  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Astrolabe')
  const path = `/objects/${OBJECT}/records/${id.record_id}`
  expect((await own.v2('PATCH', path, { data: { values: { weight: 99 } } })).status).toBe(200)
  await expect(cell(page, 1, 4)).toHaveText('99')
  await page.keyboard.press('Control+z')
  await expect(toast(page, 'Weight of Astrolabe was changed since then, so it wasn’t undone.')).toBeVisible()
  await expect(cell(page, 2, 4)).not.toHaveText('71')
  await expect(cell(page, 1, 4)).toHaveText('99')
})

test('rows that do not fit below the last one are added on request', async ({ page }) => {
  await page.goto(TABLE)
  await cell(page, 6, 1).click({ position: { x: 150, y: 5 } })
  await pasteText(page, 'Furnace\tS-6\nGyroscope\tS-7\nHeliograph\tS-1')
  const message = toast(page, "2 rows didn't fit below the last row.")
  await message.getByRole('button', { name: 'Add 2 rows' }).click()
  await expect(toast(page, '1 row added.')).toContainText('Serial: This value is already used by another record.')
  await expect(grid(page).getByRole('row').filter({ hasText: 'Gyroscope' })).toContainText('S-7')
  await expect(grid(page).getByRole('row').filter({ hasText: 'Heliograph' })).toHaveCount(0)
})
