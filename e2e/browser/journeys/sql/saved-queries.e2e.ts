/** What is made of SQL queries: saved ones, the history, charts, plans and files. */

import { readFile } from 'node:fs/promises'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'
import { editor, grid, openScreen, run, seedMaker, summary, write } from './sql-editor'

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedMaker(await consoleOf(context.request), 'quadrant')
  await context.close()
})

test('a query is saved, shared with another member, changed, renamed and deleted', async ({ page, browser }) => {
  await openScreen(page)
  await write(page, 'select name from quadrants order by name')
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Save query' })
  await dialog.getByLabel('Name').fill('Names of quadrants')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Names of quadrants' })).toBeVisible()
  await expect(page).toHaveURL(/\/sql\?query=[0-9a-f-]{36}$/)
  await page.reload()
  await expect(editor(page)).toHaveText('select name from quadrants order by name')

  const { context } = await joinAs(browser, await consoleOf(page.request), { first_name: 'Sofja', last_name: 'K' })
  const hers = await context.newPage()
  await hers.goto('/sql')
  await hers.getByRole('link', { name: /Names of quadrants/ }).click()
  await expect(editor(hers)).toHaveText('select name from quadrants order by name')
  await hers.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(summary(hers)).toHaveText(/^6 rows/)
  await hers.getByRole('button', { name: 'Actions for this query' }).click()
  await expect(hers.getByRole('menuitem')).toHaveText(['Save as new…', 'Copy link'])
  await hers.keyboard.press('Escape')

  await write(page, 'select count(*) from quadrants')
  await expect(page.getByText('Edited', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Edited', { exact: true })).toHaveCount(0)
  await hers.reload()
  await expect(editor(hers)).toHaveText('select count(*) from quadrants')
  await context.close()

  await page.getByRole('button', { name: 'Actions for this query' }).click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Number of quadrants')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await expect(page.getByRole('link', { name: /Number of quadrants/ })).toBeVisible()
  await page.getByRole('button', { name: 'Actions for this query' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete query' }).click()
  await expect(page).toHaveURL('/sql')
  await expect(page.getByRole('link', { name: /Number of quadrants/ })).toHaveCount(0)
  await expect(editor(page)).toHaveText('select count(*) from quadrants')
})

test('the history has the queries that ran, and a draft survives a reload', async ({ page }) => {
  await openScreen(page)
  const added = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/sql-history'),
  )
  await run(page, 'select name as quadrant from quadrants where weight = 1')
  await expect(summary(page)).toHaveText(/^1 row in/)
  await added
  await write(page, 'select unfinished')
  await page.reload()
  await expect(editor(page)).toHaveText('select unfinished')
  await page.getByRole('tab', { name: 'History' }).click()
  const ran = page.getByRole('button', { name: /as quadrant from quadrants where weight = 1.*1 row/ })
  await expect(ran).toBeVisible()
  await expectAccessible(page)
  await ran.focus()
  await page.keyboard.press('Enter')
  await expect(editor(page)).toBeFocused()
  await expect(editor(page)).toHaveText('select name as quadrant from quadrants where weight = 1')
  await page.getByRole('button', { name: 'Clear history…' }).click()
  await expect(page.getByRole('dialog', { name: 'Clear your history?' })).toBeVisible()
  await page.keyboard.press('Escape')
})

test('a grouped result is shown as a chart, and the plan of its query as a tree', async ({ page }) => {
  await openScreen(page)
  await run(page, 'select name, weight, weight * 2 as twice from quadrants order by name')
  await page.getByRole('radio', { name: 'Chart' }).check()
  const chart = page.getByRole('img', { name: 'Bar chart of weight, twice by name, 6 values' })
  await expect(chart).toBeVisible()
  await expect(chart.locator('rect')).toHaveCount(12)
  await page.getByText('Values as a table').click()
  await expect(page.getByRole('row', { name: 'Furnace 6 12' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('radio', { name: 'Lines' }).check()
  await expect(page.getByRole('img', { name: /^Line chart/ }).locator('path')).toHaveCount(2)

  await page.getByRole('button', { name: 'Explain' }).click()
  const plan = page.getByRole('list', { name: 'Query plan' })
  await expect(plan.getByText('Sort', { exact: true })).toBeVisible()
  await expect(plan.getByText(/^on quadrants/)).toBeVisible()
  await expect(plan.getByText(/% of the time/).first()).toBeVisible()
  await expectAccessible(page)
})

test('all rows of a query are downloaded as CSV', async ({ page }) => {
  // Without this function the browser downloads the file and opens no dialog.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
  await openScreen(page)
  await run(page, 'select a.name, b.weight from quadrants a, quadrants b order by 1, 2')
  await expect(summary(page)).toHaveText(/^36 rows/)
  await expect(grid(page)).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('SQL.csv')
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(37)
  expect(lines.slice(0, 2)).toEqual(['name,weight', 'Astrolabe,1'])
})
