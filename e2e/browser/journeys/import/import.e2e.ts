/** The import of a CSV file: mapping, preview, import and problems. */

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test as journey } from '../../support/journey'

const FILE = `Venture,Website,Stage,Raised,Notes
Acme,https://acme.com/about,Idea,"$1,200",first
Bolt,bolt.com,Growing,lots,
Crux,crux.com,Idea,$300,
,,Idea,,
Dyad,dyad.com
`

const attribute = (title: string, type: string, is_unique: boolean) => ({
  title,
  api_slug: title.toLowerCase(),
  type,
  description: null,
  is_required: title === 'Name',
  is_unique,
  is_multiselect: false,
  config: {},
})

const test = journey.extend<{ ventures: string }>({
  /** The path of the table of a new object, whose records have a name and a unique website. */
  ventures: async ({ page }, use) => {
    const { v2 } = await consoleOf(page.request)
    const mark = crypto.randomUUID().slice(0, 8)
    const path = `/objects/ventures_${mark}`
    const write = async (path: string, data: object) => expect((await v2('POST', path, { data })).status).toBe(200)
    await write('/objects', {
      api_slug: `ventures_${mark}`,
      singular_noun: `Venture ${mark}`,
      plural_noun: `Ventures ${mark}`,
    })
    await write(`${path}/attributes`, attribute('Name', 'text', false))
    await write(`${path}/attributes`, attribute('Website', 'domain', true))
    await use(path)
  },
})

const upload = (page: Page, name: string, text: string) =>
  page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const countOf = (page: Page, label: string) =>
  page.getByRole('term').filter({ hasText: label }).locator('xpath=following-sibling::dd')

test('a file with invalid rows is imported, and its problems are shown', async ({ page, ventures }) => {
  await page.goto(ventures)
  await page.getByRole('link', { name: 'Import a CSV file' }).click()
  await upload(page, 'ventures.csv', FILE)
  await expect(page.getByRole('heading', { name: 'ventures.csv' })).toBeVisible()
  await expect(page.getByLabel('Attribute for “Website”')).toHaveValue('website')

  await page.getByLabel('Attribute for “Venture”').selectOption('Name (Text)')
  await page.getByLabel('Attribute for “Stage”').selectOption('New attribute')
  await page.getByLabel('Type for “Stage”').selectOption('Select')
  await page.getByLabel('Attribute for “Raised”').selectOption('New attribute')
  await page.getByLabel('Type for “Raised”').selectOption('Currency')
  await page.getByLabel('Currency of “Raised”').selectOption('EUR')
  await page.getByLabel('Attribute for “Notes”').selectOption('Website (Domain)')
  await expect(page.getByRole('alert')).toContainText('go to the same part')
  await page.getByLabel('Attribute for “Notes”').selectOption("Don't import")
  const preview = page.getByRole('region', { name: 'Preview' })
  const rowOf = (text: string) => preview.getByRole('row').filter({ hasText: text })
  await expect(rowOf('Acme')).toContainText('acme.com')
  await expect(rowOf('Acme')).toContainText('is in USD')
  await expect(rowOf('Bolt')).toContainText('lots')
  await expect(preview).toContainText('This row has 2 columns; the header has 5.')
  await expect(page.getByText('New options in these rows: Stage Idea, Growing')).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Currency of “Raised”').selectOption('USD')
  await expect(rowOf('Acme')).toContainText('$1,200')

  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()
  await expect(countOf(page, 'New ventures')).toHaveText('3')
  await expect(countOf(page, 'Skipped')).toHaveText('2')
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: /^Download errors/ }).click()
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

const REFUSED = [
  ['A,B\n"never closed', 'a closing quote is missing'],
  ['', 'The file is empty'],
  ['\u0089PNG\r\n\0\0', 'The file is not a text'],
  ['Name,Website,Name\n', 'Two columns are called "Name"'],
] as const

test('a second import of the same file changes nothing, and an unreadable file is refused with a message', async ({
  page,
  ventures,
}) => {
  const { v2 } = await consoleOf(page.request)
  await v2('POST', `${ventures}/records`, { data: { values: { name: 'Acme', website: 'acme.com' } } })
  await page.goto(`${ventures}/import`)
  for (const [text, said] of REFUSED) {
    await upload(page, 'broken.csv', text)
    await expect(page.getByRole('alert')).toContainText(said)
  }
  await upload(page, 'again.csv', 'Name,Website\nAcme,acme.com\nElan,elan.com\n')
  await expect(page.getByRole('row').filter({ hasText: 'Acme' })).toContainText('Update')
  await expect(page.getByRole('row').filter({ hasText: 'Elan' })).toContainText('New')
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(countOf(page, 'Unchanged')).toHaveText('1')
  await expect(countOf(page, 'New ventures')).toHaveText('1')
  await page.getByRole('link', { name: 'Import another file' }).click()
  const recent = page.getByRole('list', { name: 'Recent imports' })
  await expect(recent.getByRole('listitem').first()).toContainText('1 created, 1 unchanged')
  await expectAccessible(page)
})

/** A file so large that its progress is visible on every machine. */
const large = (rows: number) =>
  `Name,Website\n${Array.from({ length: rows }, (_, at) => `Large ${at},large-${at}.com\n`).join('')}`

test('a running import is cancelled, and the rows that it wrote stay', async ({ page, ventures }) => {
  const rows = 100_000
  await page.goto(`${ventures}/import`)
  await upload(page, 'large.csv', large(rows))
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText(/[1-9][\d,]* rows read/)).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Import of large.csv' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible()
  await expect(page.getByText('Rows imported before that are kept.')).toBeVisible()
  await expectAccessible(page)
  const created = Number((await countOf(page, 'New ventures').innerText()).replaceAll(',', ''))
  expect(created).toBeGreaterThan(0)
  expect(created).toBeLessThan(rows)
  const filter = encodeURIComponent('{"name":{"$starts_with":"Large "}}')
  await page.goto(`${ventures}?filter=${filter}`)
  await expect(page.getByText(created.toLocaleString('en'), { exact: true })).toBeVisible()
})

test('the upload of a large file shows its progress and is cancelled', async ({ page, context, ventures }) => {
  const line = await context.newCDPSession(page)
  await page.goto(`${ventures}/import`)
  const throttle = (uploadThroughput: number) =>
    line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await throttle(100_000)
  await upload(page, 'slow.csv', large(100_000))
  const progress = page.getByRole('progressbar', { name: 'Upload of slow.csv' })
  await expect.poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.position)).toBeGreaterThan(0.02)
  await expect(page.getByText(/of 2\.\d+\sMB/)).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(progress).toBeHidden()
  await expect(page.getByLabel('Choose a file')).toBeFocused()
  await expect(page.getByRole('alert')).toBeHidden()

  await throttle(-1)
  await upload(page, 'slow.csv', large(10))
  await expect(page.getByRole('heading', { name: 'slow.csv' })).toBeVisible()
  await page.getByRole('button', { name: 'Discard file' }).click()
  await expect(page.getByText('Drop a CSV file here')).toBeVisible()
})
