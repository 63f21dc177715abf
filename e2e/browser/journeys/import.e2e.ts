/** A CSV file becomes records: its columns are placed, its rows looked at, imported, and what was left out is told. */

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../support/accessible'
import { consoleOf, expect, test } from '../support/journey'

const VENTURES = 'ventures'

const FILE = `Venture,Website,Stage,Raised,Notes
Acme,https://acme.com/about,Idea,"$1,200",first
Bolt,bolt.com,Growing,lots,
Crux,crux.com,Idea,$300,
,,Idea,,
Dyad,dyad.com
`

test.beforeAll(async ({ browser, baseURL, storageState }) => {
  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}), storageState })
  const { v2 } = await consoleOf(context.request)
  await v2('POST', '/objects', {
    data: { api_slug: VENTURES, singular_noun: 'Venture', plural_noun: 'Ventures' },
  })
  const attribute = (title: string, type: string, is_unique: boolean) => ({
    data: {
      title,
      api_slug: title.toLowerCase(),
      type,
      description: null,
      is_required: title === 'Name',
      is_unique,
      is_multiselect: false,
      config: {},
    },
  })
  await v2('POST', `/objects/${VENTURES}/attributes`, attribute('Name', 'text', false))
  await v2('POST', `/objects/${VENTURES}/attributes`, attribute('Website', 'domain', true))
  await context.close()
})

const upload = (page: Page, name: string, text: string) =>
  page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const countOf = (page: Page, label: string) =>
  page.getByRole('term').filter({ hasText: label }).locator('xpath=following-sibling::dd')

test('a file with bad rows is imported, and says what it left out', async ({ page }) => {
  await page.goto(`/objects/${VENTURES}`)
  await page.getByRole('link', { name: 'Import a CSV file' }).click()
  await upload(page, 'ventures.csv', FILE)
  await expect(page.getByRole('heading', { name: 'ventures.csv' })).toBeVisible()
  await expect(page.getByLabel('Where “Website” goes')).toHaveValue('website')

  await page.getByLabel('Where “Venture” goes').selectOption('Name (Text)')
  await page.getByLabel('Where “Stage” goes').selectOption('New attribute')
  await page.getByLabel('Type of the attribute for “Stage”').selectOption('Select')
  await page.getByLabel('Where “Raised” goes').selectOption('New attribute')
  await page.getByLabel('Type of the attribute for “Raised”').selectOption('Currency')
  await page.getByLabel('Currency of “Raised”').selectOption('EUR')
  await page.getByLabel('Where “Notes” goes').selectOption('Website (Domain)')
  await expect(page.getByRole('alert')).toContainText('go to the same place')
  await page.getByLabel('Where “Notes” goes').selectOption('Leave out')
  const preview = page.getByRole('region', { name: 'Preview' })
  const rowOf = (text: string) => preview.getByRole('row').filter({ hasText: text })
  await expect(rowOf('Acme')).toContainText('acme.com')
  await expect(rowOf('Acme')).toContainText('is in USD')
  await expect(rowOf('Bolt')).toContainText('lots')
  await expect(preview).toContainText('It has 2 columns, and the header 5.')
  await expect(page.getByText('New options in these rows: Stage Idea, Growing')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Currency of “Raised”').selectOption('USD')
  await expect(rowOf('Acme')).toContainText('$1,200')

  await page.getByRole('button', { name: 'Begin import' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()
  await expect(countOf(page, 'New ventures')).toHaveText('3')
  await expect(countOf(page, 'Skipped')).toHaveText('2')
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: /What was left out/ }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('ventures.csv.errors.csv')
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
  expect(lines[0]).toBe('line,outcome,column,value,reason')
  expect(lines.slice(1, -1).map((line) => line.split(',').slice(0, 2).join(' '))).toEqual([
    '3 left out',
    '5 skipped',
    '6 skipped',
  ])

  await page.getByRole('link', { name: 'Show ventures' }).click()
  const record = page.getByRole('grid', { name: 'ventures' }).getByRole('row').filter({ hasText: 'Acme' })
  await expect(record).toContainText('Idea')
  await expect(record).toContainText('$1,200')
})

test('the same file again changes nothing, and what cannot be read is refused with a sentence', async ({ page }) => {
  await page.goto(`/objects/${VENTURES}/import`)
  await upload(page, 'broken.csv', 'A,B\n"never closed')
  await expect(page.getByRole('alert')).toContainText('a closing quote is missing')
  await upload(page, 'again.csv', 'Name,Website\nAcme,acme.com\nElan,elan.com\n')
  await expect(page.getByRole('row').filter({ hasText: 'Acme' })).toContainText('Known')
  await expect(page.getByRole('row').filter({ hasText: 'Elan' })).toContainText('New')
  await page.getByRole('button', { name: 'Begin import' }).click()
  await expect(countOf(page, 'Unchanged')).toHaveText('1')
  await expect(countOf(page, 'New ventures')).toHaveText('1')
  await page.getByRole('link', { name: 'Import another file' }).click()
  const recent = page.getByRole('list', { name: 'Recent imports' })
  await expect(recent.getByRole('listitem').first()).toContainText('1 created, 1 unchanged')
  await expectAccessible(page)
})
