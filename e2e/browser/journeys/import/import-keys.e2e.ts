/** A CSV file is imported, and the import is undone, by keyboard only. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test as journey } from '../../support/journey'
import { attribute } from '../../support/seed'
import { pressOn, tabTo } from '../../support/tab-to'

interface Mills {
  /** The path of the table of a new object, whose records have a name and a unique website. */
  readonly path: string
  readonly many: string
}

const test = journey.extend<{ mills: Mills }>({
  mills: async ({ page }, use) => {
    const { v2 } = await consoleOf(page.request)
    const mark = crypto.randomUUID().slice(0, 8)
    const path = `/objects/mills_${mark}`
    const write = async (path: string, data: object) => expect((await v2('POST', path, { data })).status).toBe(200)
    const nouns = { singular_noun: `Mill ${mark}`, plural_noun: `Mills ${mark}` }
    await write('/objects', { api_slug: `mills_${mark}`, ...nouns })
    await write(`${path}/attributes`, attribute('Name', 'name', 'text'))
    await write(`${path}/attributes`, attribute('Website', 'website', 'domain', { is_unique: true }))
    await write(`${path}/records`, { values: { name: 'Cromford', website: 'cromford.com' } })
    await use({ path, many: nouns.plural_noun.toLowerCase() })
  },
})

const FILE = 'Mill,Website\nCromford Mill,cromford.com\nQuarry Bank,quarry-bank.com\nMasson,masson.com\n'
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const rowOf = (page: Page, name: string) => page.getByRole('grid').getByRole('row').filter({ hasText: name })

/** Chooses the file, maps its first column and starts the import. */
async function importByKeyboard(page: Page): Promise<void> {
  await tabTo(page, page.getByLabel('Choose a file'))
  await page.locator(':focus').setInputFiles({ name: 'mills.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) })
  const target = page.getByLabel('Attribute for “Mill”')
  await tabTo(page, target)
  await page.keyboard.type('Name')
  await expect(target).toHaveValue('name')
  await expect(page.getByRole('row').filter({ hasText: 'Quarry Bank' })).toContainText('New')
  await pressOn(page, button(page, 'Start import'))
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()
}

test('a file is imported by keyboard', async ({ page, mills }) => {
  await page.goto(mills.path)
  await expect(rowOf(page, 'Cromford')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type(`Import ${mills.many}`)
  await expect(page.getByRole('option', { name: `Import ${mills.many}` })).toBeVisible()
  await page.keyboard.press('Enter')
  await importByKeyboard(page)
  await expectAccessible(page)
  await pressOn(page, page.getByRole('link', { name: `Show ${mills.many}` }))
  for (const name of ['Cromford Mill', 'Quarry Bank', 'Masson']) await expect(rowOf(page, name)).toBeVisible()
})

test('an import is undone by keyboard, and what was changed since stays', async ({ page, mills }) => {
  const { v2 } = await consoleOf(page.request)
  await page.goto(`${mills.path}/import`)
  await importByKeyboard(page)
  const { body } = await v2('POST', `${mills.path}/records/query`, { filter: { name: 'Masson' } })
  const changed = { data: { values: { name: 'Masson Mill' } } }
  expect((await v2('PATCH', `${mills.path}/records/${body.data[0].id.record_id}`, changed)).status).toBe(200)

  await pressOn(page, button(page, 'Undo import'))
  const dialog = page.getByRole('dialog', { name: 'Undo the import of mills.csv?' })
  await expect(dialog.getByText(/^1 mill \S+ created by this import moves to the trash\./)).toBeVisible()
  await expect(dialog.getByText(/^1 mill \S+ updated by it gets its earlier values back\./)).toBeVisible()
  await expect(dialog.getByText(/^1 mill \S+ was changed since and stays\./)).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(button(page, 'Undo import')).toBeFocused()
  await page.keyboard.press('Enter')
  await pressOn(page, dialog.getByRole('button', { name: 'Undo import' }))
  await expect(
    page.getByText(
      /^Import undone: 2 mills \S+ moved to the trash or restored\. 1 mill \S+ was changed since and stays\.$/,
    ),
  ).toBeVisible()
  await expect(button(page, 'Undo import')).toHaveCount(0)
  await expectAccessible(page)

  await pressOn(page, page.getByRole('link', { name: `Show ${mills.many}` }))
  await expect(rowOf(page, 'Masson Mill')).toBeVisible()
  await expect(rowOf(page, 'Cromford')).toContainText('cromford.com')
  await expect(rowOf(page, 'Cromford Mill')).toHaveCount(0)
  await expect(rowOf(page, 'Quarry Bank')).toHaveCount(0)
})

test('an import is undone from the list of imports', async ({ page, mills }) => {
  await page.goto(`${mills.path}/import`)
  await importByKeyboard(page)
  await pressOn(page, page.getByRole('link', { name: 'Import another file' }))
  const recent = page.getByRole('list', { name: 'Recent imports' })
  await pressOn(page, recent.getByRole('button', { name: 'Undo the import of mills.csv' }))
  await pressOn(page, page.getByRole('dialog').getByRole('button', { name: 'Undo import' }))
  await expect(recent.getByText('Undone', { exact: true })).toBeVisible()
  await expect(recent.getByRole('button', { name: 'Undo the import of mills.csv' })).toHaveCount(0)
  await expectAccessible(page)
})
