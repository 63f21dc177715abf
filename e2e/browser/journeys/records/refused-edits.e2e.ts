/** A refused edit keeps its editor and its text, with one message at the value. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { recordNamed, seedDevices } from '../../support/seed'

const OBJECT = 'machines'

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), 'machine')
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'machines' })
const editor = (page: Page, title: string) => page.getByRole('dialog', { name: `Edit ${title}` })
const toasts = (page: Page) => page.locator('.toast')

/** Opens the editor of a cell by keyboard, wherever the focus is. */
async function edit(page: Page, row: string, column: number) {
  await grid(page).getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(column).click()
  await page.keyboard.press('Enter')
}

async function expectRefused(page: Page, title: string, text: string, sentence: string) {
  const input = editor(page, title).getByRole('textbox', { name: title })
  await expect(editor(page, title).getByRole('alert')).toHaveText(sentence)
  await expect(input).toHaveValue(text)
  await expect(input).toBeFocused()
  await expect(input).toHaveAttribute('aria-invalid', 'true')
  await expect(toasts(page)).toHaveCount(0)
}

const USED = 'This value is already used by another record.'
const DOMAIN = 'Enter a valid domain, such as example.com.'
const NUMBER = 'Enter a number, such as 1200 or 9.5.'

test('a cell keeps a value that another record has until it is changed', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await edit(page, 'Astrolabe', 2)
  await page.keyboard.type('S-2')
  await page.keyboard.press('Enter')
  await expectRefused(page, 'Serial', 'S-2', USED)
  await expectAccessible(page)
  await page.keyboard.press('End')
  await page.keyboard.type('9')
  await page.keyboard.press('Enter')
  await expect(editor(page, 'Serial')).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  const own = await consoleOf(page.request)
  const serial = async () => (await recordNamed(own, OBJECT, 'Astrolabe')).values.serial[0].value
  await expect.poll(serial).toBe('S-29')
})

test('a cell keeps an invalid domain, and Escape discards it', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await edit(page, 'Barometer', 6)
  await page.keyboard.type('not a domain')
  await page.keyboard.press('Tab')
  await expectRefused(page, 'Website', 'not a domain', DOMAIN)
  await page.keyboard.press('Escape')
  await expect(editor(page, 'Website')).toHaveCount(0)
  await expect(page.getByText('not a domain')).toHaveCount(0)
})

test('letters in a number stay visible and are refused', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await edit(page, 'Compass', 4)
  await page.keyboard.type('12 kg')
  await page.keyboard.press('Enter')
  await expectRefused(page, 'Weight', '12 kg', NUMBER)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('12.5')
  await page.keyboard.press('Enter')
  await expect(editor(page, 'Weight')).toHaveCount(0)
  await expect(grid(page).getByRole('row').filter({ hasText: 'Compass' })).toContainText('12.5')
})

test('an amount with five decimals and an incomplete date stay visible and are refused', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await edit(page, 'Dividers', 5)
  await page.keyboard.type('0.00001')
  await page.keyboard.press('Enter')
  await expectRefused(
    page,
    'Price',
    '0.00001',
    "Enter an amount in this attribute's currency with up to 4 decimals, such as 1200.50.",
  )
  await page.keyboard.press('Escape')
  await edit(page, 'Dividers', 7)
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  await expect(editor(page, 'Bought').getByRole('alert')).toHaveText('Enter a full date: day, month and year.')
  await page.keyboard.press('Escape')
  const own = await consoleOf(page.request)
  expect((await recordNamed(own, OBJECT, 'Dividers')).values.bought[0].value).toBe('2024-05-06')
})

test('the page of a record keeps refused input, too', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Engine')
  await page.goto(`/objects/${OBJECT}/${id.record_id}`)
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await page.getByRole('button', { name: 'Edit Website' }).press('Enter')
  await page.keyboard.type('nowhere')
  await page.keyboard.press('Enter')
  await expectRefused(page, 'Website', 'nowhere', DOMAIN)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit Weight' }).press('Enter')
  await page.keyboard.type('heavy')
  await page.keyboard.press('Enter')
  await expectRefused(page, 'Weight', 'heavy', NUMBER)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('7.25')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Edit Weight' })).toBeFocused()
  await expect(page.getByRole('tabpanel').getByText('7.25')).toBeVisible()
})

test('the form of a new record shows the problem at each field', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await page.getByRole('button', { name: 'New machine' }).press('Enter')
  await page.keyboard.type('Gauge')
  await page.keyboard.press('Tab')
  await page.keyboard.type('S-3')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New machine' })
  await expect(dialog.getByText(USED)).toBeVisible()
  await expect(dialog.getByLabel('Serial')).toBeFocused()
  await expect(dialog.getByLabel('Serial')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByRole('button', { name: /Show all/ }).press('Enter')
  await dialog.getByLabel('Weight').fill('heavy')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(NUMBER)).toBeVisible()
  await expect(dialog.getByLabel('Weight')).toBeFocused()
  await expect(dialog.getByLabel('Name')).toHaveValue('Gauge')
  await expectAccessible(page)
})
