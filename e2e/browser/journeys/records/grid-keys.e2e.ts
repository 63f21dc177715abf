/** Cells are edited, selected, copied and undone with the keyboard alone. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed } from '../../support/seed'

const NOUN = `sheet${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=name&columns=name,note,weight,price,bought,stage,metals,stars,done,emails,maker`

const CURRENCY = { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }
const COLUMNS = ['Name', 'Note', 'Weight', 'Price', 'Bought', 'Stage', 'Metals', 'Stars', 'Done', 'Emails', 'Maker']
const ROWS = ['Anvil', 'Bellows', 'Chisel', 'Drill', 'Easel', 'File']

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { create } = await consoleOf(context.request)
  await create('/objects', { api_slug: OBJECT, singular_noun: NOUN, plural_noun: OBJECT })
  const record_reference = { allowed_objects: [OBJECT] }
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Note', 'note', 'text', { is_unique: true }),
    attribute('Weight', 'weight', 'number'),
    attribute('Price', 'price', 'currency', { config: CURRENCY }),
    attribute('Bought', 'bought', 'date'),
    attribute('Stage', 'stage', 'select'),
    attribute('Metals', 'metals', 'select', { is_multiselect: true }),
    attribute('Stars', 'stars', 'rating'),
    attribute('Done', 'done', 'checkbox'),
    attribute('Emails', 'emails', 'email-address', { is_multiselect: true }),
    attribute('Maker', 'maker', 'record-reference', { config: { record_reference } }),
  ]) {
    await create(`/objects/${OBJECT}/attributes`, data)
  }
  for (const title of ['Idea', 'Sold']) await create(`/objects/${OBJECT}/attributes/stage/options`, { title })
  for (const title of ['Brass', 'Steel']) await create(`/objects/${OBJECT}/attributes/metals/options`, { title })
  for (const [index, name] of ROWS.entries()) {
    const values = { name, note: `Note ${index}`, weight: index + 1, price: 10, bought: '2024-05-06' }
    await create(`/objects/${OBJECT}/records`, { values })
  }
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: OBJECT })
const rowAt = (page: Page, row: number) =>
  grid(page)
    .getByRole('row')
    .nth(row + 1)
const cellAt = (page: Page, row: number, column: string) =>
  rowAt(page, row)
    .getByRole('gridcell')
    .nth(COLUMNS.indexOf(column) + 1)
const editor = (page: Page, title: string) => page.getByRole('dialog', { name: `Edit ${title}` })
const toasts = (page: Page) => page.locator('.toast')

async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key)
}

/** Opens the table with the focus on a cell. */
async function open(page: Page, row: number, column: string) {
  await page.goto(TABLE)
  await expect(rowAt(page, 0)).toContainText('Anvil')
  await grid(page).focus()
  await goTo(page, row, column)
}

/** Moves the active cell from wherever it is. */
async function goTo(page: Page, row: number, column: string) {
  await press(page, 'Control+Home', ...ROWS.slice(0, row).map(() => 'ArrowDown'))
  await press(page, ...COLUMNS.slice(0, COLUMNS.indexOf(column)).map(() => 'ArrowRight'))
}

const isActive = (page: Page, row: number, column: string) => expect(cellAt(page, row, column)).toHaveClass(/active/)

type Values = readonly Readonly<Record<string, unknown>>[]

async function expectValue(
  page: Page,
  name: string,
  slug: string,
  read: (values: Values) => unknown,
  expected: unknown,
) {
  const own = await consoleOf(page.request)
  await expect.poll(async () => read((await recordNamed(own, OBJECT, name)).values[slug])).toEqual(expected)
}

test('a letter replaces the value; Enter, Shift+Enter, Tab and Shift+Tab save and move; Escape cancels', async ({
  page,
}) => {
  await open(page, 1, 'Note')
  await page.keyboard.type('cold air')
  await expect(editor(page, 'Note').getByRole('textbox')).toHaveValue('cold air')
  await press(page, 'Enter')
  await isActive(page, 2, 'Note')
  await page.keyboard.type('sharp')
  await press(page, 'Shift+Enter')
  await isActive(page, 1, 'Note')
  await press(page, 'ArrowDown', 'F2')
  await expect(editor(page, 'Note').getByRole('textbox')).toHaveValue('sharp')
  await press(page, 'End')
  await page.keyboard.type('er')
  await press(page, 'Tab')
  await isActive(page, 2, 'Weight')
  await page.keyboard.type('2.5')
  await press(page, 'Shift+Tab')
  await isActive(page, 2, 'Note')
  await page.keyboard.type('gone')
  await press(page, 'Escape')
  await expect(grid(page)).toBeFocused()
  await expect(cellAt(page, 2, 'Note')).toHaveText('sharper')
  await expect(cellAt(page, 1, 'Note')).toHaveText('cold air')
  await expectValue(page, 'Chisel', 'weight', ([one]) => one?.value, 2.5)
  await expectAccessible(page)
})

test('letters open no shortcut of the page, and every type has its way to be edited', async ({ page }) => {
  await open(page, 0, 'Note')
  await page.keyboard.type('cf?')
  await press(page, 'Enter')
  await expect(cellAt(page, 0, 'Note')).toHaveText('cf?')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await goTo(page, 0, 'Price')
  await page.keyboard.type('1234.5')
  await press(page, 'Tab')
  await expect(cellAt(page, 0, 'Price')).toHaveText('€1,234.50')
  await page.keyboard.type('12312025')
  await press(page, 'Tab')
  await expect(cellAt(page, 0, 'Bought')).toHaveText('Dec 31, 2025')
  await page.keyboard.type('so')
  await expect(page.getByRole('combobox', { name: 'Stage' })).toHaveValue('so')
  await press(page, 'Enter')
  await expect(cellAt(page, 0, 'Stage')).toHaveText('Sold')
  await isActive(page, 1, 'Stage')

  await goTo(page, 0, 'Metals')
  await page.keyboard.type('st')
  await press(page, 'Enter', 'Enter')
  await expect(cellAt(page, 0, 'Metals')).toHaveText('Steel')
  await goTo(page, 0, 'Stars')
  await press(page, '4')
  await expect(cellAt(page, 0, 'Stars').getByRole('img', { name: '4 of 5' })).toBeVisible()
  await press(page, 'ArrowRight', 'Space')
  await expect(cellAt(page, 0, 'Done').getByRole('img', { name: 'Yes' })).toBeVisible()
  await press(page, 'ArrowRight')
  await page.keyboard.type('a@example.com')
  await press(page, 'Alt+Enter')
  await page.keyboard.type('b@example.com')
  await press(page, 'Tab')
  await expect(cellAt(page, 0, 'Emails')).toContainText('b@example.com')
  await page.keyboard.type('chis')
  await expect(page.getByRole('option', { name: 'Chisel' })).toBeVisible()
  await press(page, 'Enter')
  await expect(cellAt(page, 0, 'Maker')).toHaveText('Chisel')
  await goTo(page, 0, 'Stage')
  await press(page, 'Delete')
  await expect(cellAt(page, 0, 'Stage')).toHaveText('')
  await expectValue(page, 'Anvil', 'stage', (values) => values.length, 0)
  await expectValue(page, 'Anvil', 'emails', (values) => values.map((one) => one.email_address), [
    'a@example.com',
    'b@example.com',
  ])
})

test('keys that are pressed before the options arrive act when they are there', async ({ page }) => {
  const arrival = Promise.withResolvers<void>()
  await page.route(/attributes\/(metals|stage)\/options/, async (route) => {
    await arrival.promise
    await route.continue()
  })
  await open(page, 3, 'Metals')
  await page.keyboard.type('st')
  await press(page, 'Enter', 'b', 'r', 'Enter', 'Enter')
  await expect(editor(page, 'Metals').getByRole('combobox')).toHaveValue('st')
  arrival.resolve()
  await expect(cellAt(page, 3, 'Metals')).toHaveText('SteelBrass')
  await isActive(page, 4, 'Metals')
  await expect(grid(page)).toBeFocused()
  await expectValue(page, 'Drill', 'metals', (values) => values.length, 2)
})

test('keys behind the one that selects the only option act in the next cell', async ({ page }) => {
  const arrival = Promise.withResolvers<void>()
  await page.route(/attributes\/stage\/options/, async (route) => {
    await arrival.promise
    await route.continue()
  })
  await open(page, 3, 'Stage')
  await page.keyboard.type('so')
  await press(page, 'Enter', 'i', 'd', 'Tab')
  arrival.resolve()
  await expect(cellAt(page, 3, 'Stage')).toHaveText('Sold')
  await expect(editor(page, 'Stage').getByRole('combobox')).toHaveCount(0)
  await isActive(page, 4, 'Metals')
})

test('a range is copied, pasted, filled, cleared, undone and redone', async ({ page }) => {
  await open(page, 3, 'Weight')
  await press(page, 'Shift+ArrowRight', 'Shift+ArrowDown')
  await expect(page.getByText('2 rows, 2 columns selected')).toBeAttached()
  await expectAccessible(page)
  await press(page, 'Control+c', 'Control+d')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('4')
  await press(page, 'Backspace')
  await expect(cellAt(page, 3, 'Price')).toHaveText('')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('')
  await expectValue(page, 'Drill', 'weight', (values) => values.length, 0)

  await press(page, 'Control+z')
  await expect(toasts(page).filter({ hasText: 'Undone' })).toBeVisible()
  await expect(cellAt(page, 4, 'Weight')).toHaveText('4')
  await press(page, 'Control+z')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('5')
  await press(page, 'Shift+Control+z')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('4')
  await press(page, 'Control+z')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('5')

  await goTo(page, 4, 'Weight')
  await press(page, 'Control+v')
  await expect(cellAt(page, 4, 'Weight')).toHaveText('4')
  await expect(cellAt(page, 5, 'Weight')).toHaveText('5')
  await goTo(page, 3, 'Weight')
  await press(page, 'Control+c', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Control+v')
  await expect(cellAt(page, 5, 'Weight')).toHaveText('4')
  await press(page, 'Control+x')
  await expect(cellAt(page, 5, 'Weight')).toHaveText('')
  await expectValue(page, 'File', 'weight', (values) => values.length, 0)
})
