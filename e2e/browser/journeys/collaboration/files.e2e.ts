/** The files of a record: dropped, cancelled, put in a folder, previewed, downloaded and deleted. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'

/** An image of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function createCompany({ v2 }: Console, name: string): Promise<string> {
  const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name } } })
  return body.data.id.record_id
}

const filesOf = async ({ v2 }: Console, recordId: string) =>
  (await v2('GET', `/files?object=companies&record_id=${recordId}`)).body.data as { name: string; file_type: string }[]

interface Dropped {
  readonly name: string
  readonly type: string
  readonly base64: string
}

/** Drops files on the list, as a browser does it with those of a desktop. */
async function drop(page: Page, files: readonly Dropped[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle((dropped) => {
    const transfer = new DataTransfer()
    for (const { name, type, base64 } of dropped) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type }))
    }
    return transfer
  }, files)
  const area = page.getByRole('group', { name: 'Files' })
  await area.dispatchEvent('dragover', { dataTransfer })
  await expect(page.getByText('Drop files to upload them')).toBeVisible()
  await area.dispatchEvent('drop', { dataTransfer })
}

const files = (page: Page) => page.getByRole('list', { name: 'Files' })

test('files are dropped on a record; one upload is cancelled, and another one fails and is sent again', async ({
  page,
}) => {
  const own = await consoleOf(page.request)
  const id = await createCompany(own, 'Filing Cabinets')
  await page.goto(`/objects/companies/${id}?tab=files`)
  await expect(page.getByText('No files yet')).toBeVisible()
  await expectAccessible(page)

  let attempts = 0
  await page.route('**/files/upload', async (route) => {
    const body = route.request().postData() ?? ''
    if (body.includes('cancelled.txt')) return // waits until it is cancelled
    if (body.includes('refused.txt') && attempts++ === 0) return route.abort()
    await route.continue()
  })
  const text = (name: string) => ({ name, type: 'text/plain', base64: btoa(name) })
  await drop(page, [
    text('cancelled.txt'),
    text('refused.txt'),
    { name: 'pixel.png', type: 'image/png', base64: PIXEL },
  ])
  const uploads = page.getByRole('list', { name: 'Uploads' })
  await expect(files(page).getByRole('link', { name: 'pixel.png', exact: true })).toBeVisible()
  await expect(uploads.getByRole('progressbar', { name: 'Upload of cancelled.txt' })).toBeVisible()
  await expect(uploads.getByText("Can't reach the server.")).toBeVisible()
  await expectAccessible(page)

  await uploads.getByRole('button', { name: 'Upload refused.txt again' }).click()
  await expect(files(page).getByRole('link', { name: 'refused.txt', exact: true })).toBeVisible()
  await uploads.getByRole('button', { name: 'Cancel upload of cancelled.txt' }).focus()
  await page.keyboard.press('Enter')
  await expect(uploads).toHaveCount(0)
  await expect
    .poll(async () => (await filesOf(own, id)).map(({ name }) => name).toSorted())
    .toEqual(['pixel.png', 'refused.txt'])
})

test('a folder takes files, an image is previewed and downloaded, and both are deleted with a question', async ({
  page,
}) => {
  const own = await consoleOf(page.request)
  const id = await createCompany(own, 'Binding Works')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`/objects/companies/${id}?tab=files`)
  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Logos & marks')
  await page.keyboard.press('Enter')
  await files(page).getByRole('link', { name: 'Logos & marks' }).click()
  await expect(page.getByText('This folder is empty')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Folder' })).toContainText('Logos & marks')

  const pixel = { name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') }
  await page.getByLabel('Files', { exact: true }).locator('input[type=file]').setInputFiles([pixel])
  await files(page).getByRole('link', { name: 'pixel.png', exact: true }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'pixel.png' })
  const image = dialog.getByRole('img', { name: 'pixel.png' })
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1)
  await expectAccessible(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('pixel.png')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBe(0)

  await files(page).getByRole('button', { name: 'Delete pixel.png' }).click()
  await page.getByRole('dialog', { name: 'Delete “pixel.png”?' }).getByRole('button', { name: 'Delete file' }).click()
  await expect(page.getByText('This folder is empty')).toBeVisible()
  await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Files' }).click()
  await files(page).getByRole('button', { name: 'Delete Logos & marks' }).click()
  const question = page.getByRole('dialog', { name: 'Delete “Logos & marks”?' })
  await expect(question).toContainText('everything in it')
  await question.getByRole('button', { name: 'Delete folder' }).click()
  await expect(page.getByText('No files yet')).toBeVisible()
  await expect.poll(() => filesOf(own, id)).toEqual([])
})

test('a CSV file and a text are previewed, and images have thumbnails', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await createCompany(own, 'Reading Rooms')
  await page.goto(`/objects/companies/${id}?tab=files`)
  const file = (name: string, mimeType: string, text: string | Buffer) => ({
    name,
    mimeType,
    buffer: Buffer.from(text),
  })
  await page
    .getByLabel('Files', { exact: true })
    .locator('input[type=file]')
    .setInputFiles([
      file('rooms.csv', 'text/csv', 'room;seats\n"Reading; quiet";40\n<b>Bold</b>;2\n'),
      file('rules.txt', 'text/plain', 'Silence.\n<script>alert(1)</script>'),
      file('empty.txt', 'text/plain', ''),
      file('pixel.png', 'image/png', Buffer.from(PIXEL, 'base64')),
    ])
  const row = (name: string) => files(page).getByRole('listitem').filter({ hasText: name })
  await expect(row('pixel.png').locator('img')).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Files 4' })).toBeVisible()
  await files(page).getByRole('link', { name: 'rooms.csv', exact: true }).click()
  const table = page.getByRole('dialog', { name: 'rooms.csv' }).getByRole('region', { name: 'rooms.csv' })
  await expect(table.getByRole('row')).toHaveText([/room\s*seats/, /Reading; quiet\s*40/, /<b>Bold<\/b>\s*2/])
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await files(page).getByRole('link', { name: 'rules.txt', exact: true }).click()
  const text = page.getByRole('dialog', { name: 'rules.txt' }).getByRole('region', { name: 'rules.txt' })
  await expect(text).toHaveText('Silence.\n<script>alert(1)</script>')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await files(page).getByRole('link', { name: 'empty.txt', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'empty.txt' }).getByRole('region')).toHaveText('')
})

test('a connected file is opened at its provider', async ({ page }) => {
  const own = await consoleOf(page.request)
  const record_id = await createCompany(own, 'Connected Cabinets')
  const url = 'https://www.dropbox.com/scl/fi/1/offer.pdf'
  const entry = { file_type: 'connected-file', storage_provider: 'dropbox', external_provider_file_id: 'id:offer', url }
  const { status } = await own.v2('POST', '/files', { object: 'companies', record_id, ...entry })
  expect(status).toBe(200)
  await page.goto(`/objects/companies/${record_id}?tab=files`)
  const link = files(page).getByRole('link', { name: 'Open id:offer in Dropbox' })
  await expect(link).toHaveAttribute('href', url)
  await expect(link).toHaveAttribute('target', '_blank')
  await expectAccessible(page)
})
