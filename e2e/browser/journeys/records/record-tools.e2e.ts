/** What a record page offers beside its tabs: empty attributes on request, neighbours, suggested duplicates. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed } from '../../support/seed'

const mark = crypto.randomUUID().slice(0, 8)

async function seed({ v2 }: Console, noun: string, names: readonly string[]): Promise<string> {
  const slug = `${noun}_${mark}`
  const write = async (path: string, data: object) => expect((await v2('POST', path, { data })).status).toBe(200)
  await write('/objects', { api_slug: slug, singular_noun: `${noun} ${mark}`, plural_noun: `${noun}s ${mark}` })
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Depth', 'depth', 'number'),
    attribute('Owner', 'owner', 'text'),
  ])
    await write(`/objects/${slug}/attributes`, data)
  for (const [depth, name] of names.entries()) await write(`/objects/${slug}/records`, { values: { name, depth } })
  return slug
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

test('filled attributes come first, and empty ones on request', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'well', ['Spring'])
  const { id } = await recordNamed(own, slug, 'Spring')
  await page.goto(`/objects/${slug}/${id.record_id}`)
  const panel = page.getByRole('complementary', { name: 'Details and lists' })
  await expect(panel.getByRole('button', { name: 'Edit Depth' })).toBeAttached()
  await expect(panel.getByRole('button', { name: /Edit Owner/ })).toHaveCount(0)
  await expect(panel.getByText('Empty', { exact: true })).toHaveCount(0)
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(`wells ${mark}`)

  const history = panel.getByRole('button', { name: 'History of Depth' })
  await page.mouse.move(0, 0)
  await expect(history.locator('xpath=..')).toHaveCSS('opacity', '0')
  await history.focus()
  await expect(history.locator('xpath=..')).toHaveCSS('opacity', '1')

  await panel.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await panel.getByRole('button', { name: /Edit Owner/ }).press('Enter')
  await page.keyboard.type('Maria')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await recordNamed(own, slug, 'Spring')).values.owner[0]?.value).toBe('Maria')
  await expectAccessible(page)
})

test('J and K move through the records in the order of the table', async ({ page }) => {
  const slug = await seed(await consoleOf(page.request), 'mine', ['Alpha', 'Beta', 'Gamma', 'Delta'])
  const filter = encodeURIComponent(JSON.stringify({ depth: { $gt: 0 } }))
  const sort = 'name'
  await page.goto(`/objects/${slug}?filter=${filter}&sort=${sort}`)
  await page.getByRole('link', { name: 'Beta' }).click()
  await expect(heading(page, 'Beta')).toBeVisible()
  const previous = page.getByRole('button', { name: `Previous mine ${mark}` })
  await expect(previous).toBeDisabled()
  await page.keyboard.press('j')
  await expect(heading(page, 'Delta')).toBeVisible()
  await page.getByRole('button', { name: `Next mine ${mark}` }).click()
  await expect(heading(page, 'Gamma')).toBeVisible()
  await expect(page.getByRole('button', { name: `Next mine ${mark}` })).toBeDisabled()
  await page.reload()
  await expect(previous).toBeEnabled()
  await page.keyboard.press('k')
  await expect(heading(page, 'Delta')).toBeVisible()
  await expectAccessible(page)
  await page.goBack()
  await expect(page.getByRole('grid')).toBeVisible()
})

test('a possible duplicate is suggested, compared, and dismissed for good', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'quarry', [`Carrara ${mark}`, `CARRARA ${mark}`, 'Portland'])
  const { id } = await recordNamed(own, slug, `Carrara ${mark}`)
  const path = `/objects/${slug}/${id.record_id}`
  await page.goto(path)
  const duplicates = page.getByRole('region', { name: 'Possible duplicates' })
  await expect(duplicates.getByRole('listitem')).toHaveCount(1)
  await expect(duplicates).toContainText('Same name')
  await expectAccessible(page)
  await duplicates.getByRole('button', { name: `Compare with CARRARA ${mark}` }).click()
  const dialog = page.getByRole('dialog', { name: `Merge “Carrara ${mark}”` })
  await expect(dialog.getByRole('row').filter({ hasText: 'Depth' }).getByRole('cell')).toHaveText([
    '0',
    '1(not kept)',
    '0',
  ])
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)

  await duplicates.getByRole('button', { name: 'is not a duplicate' }).click()
  await expect(duplicates).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(duplicates).toBeVisible()
  await duplicates.getByRole('button', { name: 'is not a duplicate' }).click()
  await expect(page.getByText('Suggestion dismissed').last()).toBeVisible()
  const dismissals = page.waitForResponse((response) => response.url().includes('dismissed-duplicates?'))
  await page.reload()
  await (await dismissals).finished()
  await expect(heading(page, `Carrara ${mark}`)).toBeVisible()
  await expect(duplicates).toHaveCount(0)
})

test('a merge on the record page is undone', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'basin', [`Paros ${mark}`, `PAROS ${mark}`])
  const { id } = await recordNamed(own, slug, `Paros ${mark}`)
  const path = `/objects/${slug}/${id.record_id}`
  await page.goto(path)
  const duplicates = page.getByRole('region', { name: 'Possible duplicates' })
  await duplicates.getByRole('button', { name: `Compare with PAROS ${mark}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click()
  await expect(page.getByText(`“PAROS ${mark}” merged into “Paros ${mark}”`)).toBeVisible()
  await expect(page).not.toHaveURL(new RegExp(`${path}$`))
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Merge undone')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${path}$`))
  await expect(heading(page, `Paros ${mark}`)).toBeVisible()
  const { body } = await own.v2('POST', `/objects/${slug}/records/query`, {})
  expect(body.data).toHaveLength(2)
})

test('a record is opened beside the table, and the address holds it', async ({ page }) => {
  const slug = await seed(await consoleOf(page.request), 'cave', ['Alpha', 'Beta', 'Gamma'])
  await page.goto(`/objects/${slug}?sort=name`)
  const grid = page.getByRole('grid')
  const row = grid.getByRole('row').filter({ hasText: 'Alpha' })
  await row.hover()
  await row.getByRole('button', { name: 'Open beside the table' }).click()
  const panel = (name: string) => page.getByRole('region', { name, exact: true })
  await expect(panel('Alpha')).toBeFocused()
  await expect(panel('Alpha').getByRole('tab', { name: 'Overview' })).toBeVisible()
  await expect(grid).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('j')
  await expect(panel('Beta')).toBeVisible()
  await page.reload()
  await expect(panel('Beta').getByRole('button', { name: 'Edit Depth' })).toBeAttached()
  await panel('Beta').getByRole('tab', { name: 'Lists' }).click()
  await expect(panel('Beta').getByText('Not in any lists')).toBeVisible()
  await panel('Beta').getByRole('tab', { name: 'Lists' }).press('Escape')
  await expect(panel('Beta')).toHaveCount(0)
  await expect(grid).toBeFocused()
  expect(new URL(page.url()).search).toBe('?sort=name')

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Alt+Enter')
  await expect(page.getByRole('link', { name: 'Open the page' })).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'Open the page' })).toHaveCount(0)
  await page.goBack()
  await expect(page.getByRole('link', { name: 'Open the page' })).toBeVisible()

  await page.setViewportSize({ width: 375, height: 800 })
  await expect(grid).toBeHidden()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(grid).toBeVisible()
})
