/** The table of records and the page of a record. */

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, adminContext, consoleOf, expect, signIn, test, testSignedOut } from '../../support/journey'
import { COUNT, seedStartups, STARTUPS } from '../../support/startups'

const TABLE = `/objects/${STARTUPS}?sort=name`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedStartups(await consoleOf(context.request))
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'startups' })
const rowOf = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name })

async function press(page: Page, ...keys: string[]) {
  for (const key of keys) await page.keyboard.press(key)
}

/** The only record with this name, from the API. */
async function recordNamed(page: Page, name: string) {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', `/objects/${STARTUPS}/records/query`, { filter: { name } })
  expect(body.data).toHaveLength(1)
  return body.data[0]
}

test('a table of a thousand rows is scrolled to its end and counted, and renders few rows', async ({ page }) => {
  await page.goto(TABLE)
  await expect(rowOf(page, 'Startup 0001')).toBeVisible()
  await expect(page.getByText(COUNT.toLocaleString('en'), { exact: true })).toBeVisible()
  const last = rowOf(page, `Startup ${COUNT}`)
  await grid(page).focus()
  await expect(async () => {
    await page.keyboard.press('Control+End')
    await expect(last).toBeVisible({ timeout: 100 })
  }).toPass({ intervals: [50] })
  expect(await grid(page).getByRole('row').count()).toBeLessThan(80)
  await page.keyboard.press('Control+Home')
  await expect(rowOf(page, 'Startup 0001')).toBeVisible()
})

test('a value is edited in place by keyboard', async ({ page }) => {
  await page.goto(TABLE)
  await expect(rowOf(page, 'Startup 0003')).toBeVisible()
  await grid(page).focus()
  await press(page, 'ArrowDown', 'ArrowDown', 'Enter')
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('Never mind')
  await press(page, 'Escape')
  await expect(rowOf(page, 'Startup 0003')).toBeVisible()
  await press(page, 'ArrowRight', 'Enter')
  await page.keyboard.type('sold')
  await press(page, 'Enter')
  await expect(rowOf(page, 'Startup 0003')).toContainText('Sold')
  await expect(grid(page)).toBeFocused()
  await press(page, 'ArrowUp', 'ArrowRight', 'F2')
  await page.keyboard.type('1234.5')
  await press(page, 'Enter')
  await expect(rowOf(page, 'Startup 0003')).toContainText('€1,234.50')
  await expect.poll(async () => (await recordNamed(page, 'Startup 0003')).values.raised[0].currency_value).toBe(1234.5)
  const { values } = await recordNamed(page, 'Startup 0003')
  expect(values.stage[0].option.title).toBe('Sold')
})

test('an edit does not overwrite the change of another person', async ({ page }) => {
  await page.goto(TABLE)
  await expect(rowOf(page, 'Startup 0005')).toBeVisible()
  const { id } = await recordNamed(page, 'Startup 0005')
  const { v2 } = await consoleOf(page.request)
  const path = `/objects/${STARTUPS}/records/${id.record_id}`
  const cell = (index: number) => rowOf(page, 'Startup 0005').getByRole('gridcell').nth(index)
  await cell(3).dblclick()
  await page.keyboard.type('5')
  // The table shows the other change at once, but the edit began before it.
  await v2('PATCH', path, { data: { values: { raised: 77, founded: '1999-01-01' } } })
  await expect(cell(4)).toHaveText('Jan 1, 1999')
  await press(page, 'Enter')
  await expect(page.getByRole('alert')).toHaveText('Someone else changed this to “€77”. Save again to replace it.')
  await expect(page.getByRole('textbox', { name: 'Raised' })).toHaveValue('5')
  await expect(rowOf(page, 'Startup 0005')).toContainText('€77')
  // A change of another attribute is not a conflict.
  await cell(2).dblclick()
  await page.keyboard.type('idea')
  await press(page, 'Enter')
  await expect(rowOf(page, 'Startup 0005')).toContainText('Idea')
  await expect.poll(async () => (await v2('GET', path)).body.data.values.stage[0].option.title).toBe('Idea')
  expect((await v2('GET', path)).body.data.values.raised[0].currency_value).toBe(77)
})

test('the editor of a refused edit stays open and shows the reason', async ({ page }) => {
  await page.goto(TABLE)
  await expect(rowOf(page, 'Startup 0006')).toBeVisible()
  await rowOf(page, 'Startup 0006').getByRole('gridcell').nth(3).dblclick()
  await page.keyboard.type('0.00001')
  await press(page, 'Enter')
  await expect(page.getByRole('alert')).toHaveText(
    "Enter an amount in this attribute's currency with up to 4 decimals, such as 1200.50.",
  )
  await press(page, 'Escape')
  await expect(rowOf(page, 'Startup 0006')).toContainText('€6,000')
})

test('a filter and sorts are built and appear in the URL', async ({ page, context }) => {
  await page.goto(`/objects/${STARTUPS}`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('Stage')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Filter value' }).fill('Grow')
  await page.getByRole('option', { name: 'Growing' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  const second = page.getByRole('group', { name: 'Condition' }).nth(1)
  await page.keyboard.type('Name')
  await page.keyboard.press('Enter')
  await second.getByLabel('Filter value').fill('startup 09')
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').first().click()
  await page.getByRole('columnheader', { name: 'Raised' }).getByRole('button').first().click()
  const first = grid(page).getByRole('row').nth(1)
  await expect(first).toContainText('Startup 0997')
  await expect(page.getByRole('columnheader', { name: 'Raised' })).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByText('33', { exact: true })).toBeVisible()

  const other = await context.newPage()
  await other.goto(page.url())
  await expect(grid(other).getByRole('row').nth(1)).toContainText('Startup 0997')
  await expect(other.getByRole('group', { name: 'Condition' }).first()).toContainText('Growing')
  await other.getByRole('button', { name: 'Edit as JSON' }).click()
  await other.getByLabel('Filter as JSON').fill('{"name": {"$ends_with": "0007"}}')
  await other.getByRole('button', { name: 'Apply' }).click()
  await expect(grid(other).getByRole('row').nth(1)).toContainText('Startup 0007')
  await other.getByLabel('Filter as JSON').fill('{"nothing": 1}')
  await other.getByRole('button', { name: 'Apply' }).click()
  await expect(other.getByText('Unknown attribute slug: nothing')).toBeVisible()
})

test('a view stores filter, sort and columns', async ({ page }) => {
  const filter = encodeURIComponent('{"stage":"Sold"}')
  await page.goto(`/objects/${STARTUPS}?sort=-raised&filter=${filter}&columns=name,stage`)
  await expect(grid(page).getByRole('columnheader')).toHaveCount(3)
  await page.getByRole('button', { name: 'All startups' }).click()
  await page.getByRole('menuitem', { name: 'Save as new view' }).click()
  await page.getByLabel('Title').fill('Sold ones')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[0-9a-f-]+$/)
  await page.reload()
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Startup 1199')
  await expect(grid(page).getByRole('columnheader')).toHaveCount(3)
  await page.getByRole('button', { name: 'Sold ones' }).click()
  await page.getByRole('menuitemradio', { name: 'All startups' }).click()
  await expect(grid(page).getByRole('columnheader')).toHaveCount(5)
})

test('columns are moved by dragging and by keyboard, and a view stores their order', async ({ page }) => {
  await page.goto(`${TABLE}&columns=name,stage,raised`)
  const headings = grid(page).getByRole('columnheader')
  const order = async (...titles: string[]) => expect(headings).toHaveText(['', ...titles])
  const heading = (name: string) => page.getByRole('columnheader', { name })
  await order('Name', 'Stage', 'Raised')
  await heading('Raised').dragTo(heading('Stage'), { targetPosition: { x: 4, y: 10 } })
  await order('Name', 'Raised', 'Stage')
  await heading('Raised').getByRole('button').first().focus()
  await press(page, 'Shift+ArrowRight')
  await order('Name', 'Stage', 'Raised')
  await expect(heading('Raised').getByRole('button').first()).toBeFocused()
  await press(page, 'Shift+ArrowLeft', 'Shift+ArrowLeft')
  await order('Raised', 'Name', 'Stage')
  await page.getByRole('button', { name: 'All startups' }).click()
  await page.getByRole('menuitem', { name: 'Save as new view' }).click()
  await page.getByLabel('Title').fill('Money first')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/\?view=[0-9a-f-]+$/)
  await page.reload()
  await order('Raised', 'Name', 'Stage')
})

test('all rows of a filter are exported to CSV with the columns of the table', async ({ page }) => {
  // Without this function the browser downloads the file and opens no dialog.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  const filter = encodeURIComponent('{"name":{"$starts_with":"Startup 07"}}')
  await page.goto(`${TABLE}&filter=${filter}&columns=stage,name,founded`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'For people' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('startups.csv')
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  expect(lines).toHaveLength(101)
  expect(lines.slice(0, 2)).toEqual(['Stage,Name,Founded', 'Growing,Startup 0700,"Mar 1, 2000"'])
})

test('an export for import is imported without a change', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  const filter = encodeURIComponent('{"name":{"$starts_with":"Startup 072"}}')
  await page.goto(`${TABLE}&filter=${filter}&columns=stage,name,founded`)
  await page.getByRole('button', { name: 'Export' }).click()
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'For import' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  const [header, first, ...others] = text.trim().split('\r\n')
  expect([header, others.length]).toEqual(['record_id,stage,name,founded', 9])
  expect(first).toMatch(/^[0-9a-f-]{36},[A-Z][a-z]+,Startup 0720,2020-\d\d-01$/)

  await page.goto(`/objects/${STARTUPS}/import`)
  const file = { name: 'startups.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('Choose a file').setInputFiles(file)
  await expect(page.getByLabel('Match existing records by')).toHaveValue('record_id')
  await expect(page.getByRole('row').filter({ hasText: 'Startup 0729' })).toContainText('Update')
  await expectAccessible(page)
  await page.getByLabel('Attribute for “record_id”').selectOption("Don't import")
  await expect(page.getByLabel('Match existing records by')).toHaveCount(0)
  await page.getByLabel('Attribute for “record_id”').selectOption('Record ID (Text)')
  await expect(page.getByLabel('Match existing records by')).toHaveValue('record_id')
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()
  await expect(page.locator('dl > div').filter({ hasText: 'Unchanged' })).toHaveText('Unchanged 10')
})

test('a record is created, opened and edited, and its history is shown', async ({ page }) => {
  await page.goto(`/objects/${STARTUPS}`)
  await page.getByRole('button', { name: 'New startup' }).click()
  const dialog = page.getByRole('dialog', { name: 'New startup' })
  await dialog.getByLabel('Name').fill('Analytical Engines')
  await dialog.getByRole('button', { name: /Show all/ }).click()
  await dialog.getByRole('combobox', { name: 'Stage' }).fill('idea')
  await press(page, 'Enter')
  await dialog.getByRole('button', { name: 'Create startup' }).click()
  await rowOf(page, 'Analytical Engines').getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Analytical Engines' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit Name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Difference Engines')
  await press(page, 'Enter')
  await expect(page.getByRole('heading', { name: 'Difference Engines' })).toBeVisible()
  await expect
    .poll(() =>
      recordNamed(page, 'Difference Engines').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await page.getByRole('button', { name: 'History of Name' }).click()
  const history = page.getByRole('dialog', { name: 'History of Name' })
  await expect(history.getByRole('listitem').first()).toContainText('Analytical Engines')
  await expect(history.getByRole('listitem').first()).toContainText('Difference Engines')
  await expect(history.getByText('Ada Lovelace')).toHaveCount(2)
  await expectAccessible(page)
  await press(page, 'Escape')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete startup' }).click()
  await expect(page).toHaveURL(`/objects/${STARTUPS}`)
  await page.goBack()
})

test('several records are deleted after a confirmation with their number', async ({ page }) => {
  const filter = encodeURIComponent('{"name":{"$starts_with":"Startup 08"}}')
  await page.goto(`${TABLE}&filter=${filter}`)
  await expect(page.getByText('100', { exact: true })).toBeVisible()
  await grid(page).focus()
  await press(page, 'Space', 'ArrowDown', 'Shift+ArrowDown', 'Shift+Space')
  await expect(page.getByText('3 selected')).toBeVisible()
  await press(page, 'Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete 3 startups?' })
  await dialog.getByRole('button', { name: 'Delete 3' }).click()
  await expect(page.getByText('3 startups deleted')).toBeVisible()
  await expect(rowOf(page, 'Startup 0800')).toHaveCount(0)
  await expect(page.getByText('97', { exact: true })).toBeVisible()
})

test('missing records and objects have a page that says so', async ({ page }) => {
  await page.goto(`/objects/${STARTUPS}/01a1fc33-978b-74c3-a73b-1fa134036999`)
  await expect(page.getByText(`Startup not found in ${ADMIN.workspace}`)).toBeVisible()
  await expectAccessible(page)
  await page.goto('/objects/nothing')
  await expect(page.getByText('Not found', { exact: true })).toBeVisible()
})

testSignedOut('a session that ended elsewhere keeps the edit until the person signed in again', async ({ page }) => {
  await page.goto(`/sign-in?next=${encodeURIComponent(TABLE)}`)
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(rowOf(page, 'Startup 0007')).toBeVisible()
  await rowOf(page, 'Startup 0007').getByRole('gridcell').nth(3).dblclick()
  await page.keyboard.type('77')
  const { data } = await (await page.request.get('/console/api/session')).json()
  await page.request.post('/console/api/sign-out', { headers: { 'X-CSRF-Token': data.csrf_token } })
  await press(page, 'Enter')
  const dialog = page.getByRole('dialog', { name: 'You are signed out' })
  await expect(dialog).toBeVisible()
  const opened = page.waitForEvent('popup')
  await dialog.getByRole('link', { name: 'Sign in', exact: true }).click()
  const tab = await opened
  await signIn(tab, ADMIN.email, ADMIN.password)
  await expect(tab).toHaveURL(TABLE)
  await tab.close()
  await expect(dialog).toHaveCount(0)
  const editor = page.getByRole('dialog', { name: 'Edit Raised' })
  await expect(editor.getByRole('textbox')).toHaveValue('77')
  await editor.getByRole('textbox').press('Enter')
  await expect(editor).toHaveCount(0)
  await expect(rowOf(page, 'Startup 0007')).toContainText('€77')
})

/** A table with few rows is faster to check. */
const FEW = `${TABLE}&filter=${encodeURIComponent('{"name":{"$contains":"up 000"}}')}`

test('the table, its filter and its editor are accessible', async ({ page }) => {
  await page.goto(FEW)
  await expect(rowOf(page, 'Startup 0002')).toBeVisible()
  await expectAccessible(page)
  await grid(page).focus()
  await press(page, 'ArrowRight', 'Enter')
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible()
  await expectAccessible(page)
})

for (const button of ['Columns', 'New startup']) {
  test(`the dialog "${button}" of the table is accessible`, async ({ page }) => {
    await page.goto(FEW)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessible(page)
  })
}
