/** What a table shows is chosen in its toolbar and saved in views: sorts, groups, columns, and the view that opens for everyone. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test as journey } from '../../support/journey'
import { attribute } from '../../support/seed'

const PIPES = [
  { name: 'Copper', state: 'Used', price: 1.5, sold: true },
  { name: 'Iron', state: 'New', price: 3 },
  { name: 'Lead', state: 'Used', price: 2 },
  { name: 'Zinc' },
]

const test = journey.extend<{ pipes: string }>({
  pipes: async ({ browser }, use) => {
    const slug = `pipe${randomBytes(4).toString('hex')}s`
    const context = await adminContext(browser)
    const { v2 } = await consoleOf(context.request)
    const write = async (path: string, data: object) => expect((await v2('POST', path, { data })).status).toBe(200)
    await write('/objects', { api_slug: slug, singular_noun: slug.slice(0, -1), plural_noun: slug })
    const path = `/objects/${slug}`
    await write(`${path}/attributes`, attribute('Name', 'name', 'text'))
    await write(`${path}/attributes`, attribute('State', 'state', 'select'))
    for (const title of ['New', 'Used']) await write(`${path}/attributes/state/options`, { title })
    const config = { currency: { default_currency_code: 'EUR', display_type: 'symbol' } }
    await write(`${path}/attributes`, attribute('Price', 'price', 'currency', { config }))
    await write(`${path}/attributes`, attribute('Sold', 'sold', 'checkbox'))
    for (const values of PIPES) await write(`${path}/records`, { values })
    await context.close()
    await use(slug)
  },
})

const names = (page: Page, label: string | RegExp) =>
  page.getByRole('grid', { name: label }).getByRole('row').locator('[data-column="0"]')
const menu = (page: Page, name: 'Sort' | 'Group') => page.getByRole('button', { name: new RegExp(`^${name}`) })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const choice = (page: Page, name: string) => page.getByRole('menuitemradio', { name, exact: true })
const heading = (page: Page, name: RegExp) => page.getByRole('heading', { level: 2 }).getByRole('button', { name })

test('sorts and groups are chosen in the toolbar and saved in a view, whose groups stay open', async ({
  page,
  pipes,
}) => {
  await page.goto(`/objects/${pipes}`)
  await expect(names(page, pipes)).toHaveCount(4)
  await menu(page, 'Sort').press('Enter')
  await expectAccessible(page)
  await item(page, 'Name').press('Enter')
  await expect(names(page, pipes)).toHaveText(['Copper', 'Iron', 'Lead', 'Zinc'])
  await menu(page, 'Sort').press('Enter')
  await item(page, 'Name, ascending').press('Enter')
  await expect(names(page, pipes)).toHaveText(['Zinc', 'Lead', 'Iron', 'Copper'])

  await menu(page, 'Group').press('Enter')
  await choice(page, 'State').press('Enter')
  await expect(heading(page, /^New 1/)).toContainText('Sum of Price €3')
  await expect(heading(page, /^Used 2/)).toContainText('Sum of Price €3.5')
  await heading(page, /^Used 2/).press('Enter')
  await expect(names(page, `${pipes}, Used`)).toHaveText(['Lead', 'Copper'])

  await page.getByRole('button', { name: `All ${pipes}` }).click()
  await item(page, 'Save as new view').click()
  await page.getByLabel('Title').fill('By state')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/view=/)
  await expect(page).not.toHaveURL(/group=/)
  await page.reload()
  await expect(names(page, `${pipes}, Used`)).toHaveCount(0)
  await heading(page, /^Used 2/).press('Enter')
  await page.reload()
  await expect(names(page, `${pipes}, Used`)).toHaveText(['Lead', 'Copper'])

  await menu(page, 'Group').click()
  await choice(page, 'No groups').click()
  await expect(names(page, pipes)).toHaveCount(4)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('“By state” saved')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save changes' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'By state' })).toBeFocused()
  await page.reload()
  await expect(names(page, pipes)).toHaveText(['Zinc', 'Lead', 'Iron', 'Copper'])
})

test('rows of several groups are selected and deleted together', async ({ page, pipes }) => {
  await page.goto(`/objects/${pipes}?group=state&sort=name`)
  await heading(page, /^New 1/).click()
  await heading(page, /^Used 2/).click()
  const box = (label: string, row: number) =>
    page
      .getByRole('grid', { name: `${pipes}, ${label}` })
      .getByRole('row')
      .nth(row)
      .getByRole('gridcell')
      .first()
  await box('New', 1).click()
  await box('Used', 2).click()
  const bar = page.getByRole('toolbar', { name: 'Selected rows' })
  await expect(bar).toContainText('2 selected')
  await expectAccessible(page)
  await bar.getByRole('button', { name: 'Set value' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Attribute').selectOption('Price')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('9')
  await dialog.getByRole('button', { name: /^Update 2/ }).click()
  await expect(heading(page, /^Used 2/)).toContainText('€10.5')
  await page.getByRole('grid', { name: `${pipes}, Used` }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 2' }).click()
  await expect(heading(page, /^Used 1/)).toContainText('€1.5')
  await expect(names(page, `${pipes}, Used`)).toHaveText(['Copper'])
})

test('column changes belong to the view, and a view opens for everyone', async ({ page, pipes }) => {
  const { v2 } = await consoleOf(page.request)
  const data = { title: 'Prices', type: 'table', visible_attributes: ['name', 'price'] }
  expect((await v2('POST', `/objects/${pipes}/views`, { data })).status).toBe(200)
  const headings = page.getByRole('grid', { name: pipes }).getByRole('columnheader')
  await page.goto(`/objects/${pipes}`)
  await expect(headings).toHaveCount(5)
  await page.getByRole('button', { name: `All ${pipes}` }).click()
  await choice(page, 'Prices').click()
  await expect(headings).toHaveCount(3)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'State' }).check()
  await page.keyboard.press('Escape')
  await expect(headings).toHaveCount(4)
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(headings).toHaveCount(3)
  await page.getByRole('button', { name: 'Prices' }).click()
  await item(page, 'Open for everyone').click()
  await expect(page.getByText('“Prices” opens for everyone')).toBeVisible()

  await page.goto(`/objects/${pipes}`)
  await expect(headings).toHaveCount(3)
  await expect(page).toHaveURL(/view=/)
  await page.getByRole('button', { name: 'Prices' }).click()
  await choice(page, `All ${pipes}`).click()
  await expect(headings).toHaveCount(5)
  await page.reload()
  await expect(headings).toHaveCount(5)
})

test('one press changes a checkbox, and a range of cells shows its sum', async ({ page, pipes }) => {
  await page.goto(`/objects/${pipes}?sort=name&columns=name,price,sold`)
  const cell = (row: number, column: number) => page.locator(`[data-row="${row}"] [data-column="${column}"]`)
  await expect(cell(0, 2).getByRole('img', { name: 'Yes' })).toBeVisible()
  await cell(0, 2).getByRole('img').click()
  await expect(cell(0, 2).getByRole('img', { name: 'No' })).toBeVisible()
  await cell(3, 2).getByRole('img').click()
  const { v2 } = await consoleOf(page.request)
  const sold = async () => {
    const { body } = await v2('POST', `/objects/${pipes}/records/query`, { filter: { sold: true } })
    return body.data.map(({ values }: { values: { name: [{ value: string }] } }) => values.name[0].value)
  }
  await expect.poll(sold).toEqual(['Zinc'])
  await cell(0, 1).click()
  await cell(2, 1).click({ modifiers: ['Shift'] })
  await expect(page.getByRole('status').filter({ hasText: 'Sum' })).toContainText('Sum €6.50 · Average €2.17')
  await expectAccessible(page)
})

test('several records are restored from the trash at once', async ({ page, pipes }) => {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', `/objects/${pipes}/records/query`, {})
  for (const { id } of body.data) await v2('DELETE', `/objects/${pipes}/records/${id.record_id}`)
  await page.goto(`/objects/${pipes}/trash`)
  await page.getByRole('checkbox', { name: 'Select all' }).press('Space')
  await page.getByRole('checkbox', { name: 'Select Zinc' }).press('Space')
  const bar = page.getByRole('toolbar', { name: `Selected ${pipes}` })
  await expect(bar).toContainText(`3 ${pipes} selected`)
  await expectAccessible(page)
  await bar.getByRole('button', { name: 'Restore selected' }).press('Enter')
  await expect(page.getByText(`3 ${pipes} restored`)).toBeVisible()
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(2)
})
