/** What cells show: values that do not fit, and pictures. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed, seedDevices } from '../../support/seed'

const NOUN = `chip${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`

test.beforeEach(async ({ browser }) => {
  const context = await adminContext(browser)
  const own = await consoleOf(context.request)
  await seedDevices(own, NOUN)
  await own.v2('POST', `/objects/${OBJECT}/attributes/metals/options`, { data: { title: 'Stainless steel' } })
  await own.v2('POST', `/objects/${OBJECT}/attributes`, { data: attribute('Avatar URL', 'avatar_url', 'text') })
  const { id } = await recordNamed(own, OBJECT, 'Astrolabe')
  const path = `/objects/${OBJECT}/records/${id.record_id}`
  await own.v2('PUT', path, { data: { values: { metals: ['Brass', 'Stainless steel', 'Tin'], avatar_url: FOREIGN } } })
  await context.close()
})

const FOREIGN = 'https://images.example.com/astrolabe.png'

const cell = (page: Page, row: number, column: number) =>
  page.getByRole('grid', { name: OBJECT }).getByRole('row').nth(row).getByRole('gridcell').nth(column)

test('values that do not fit are counted, and shown on hover and on focus', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name&columns=name,metals`)
  const metals = cell(page, 1, 2)
  await expect(metals).toContainText('+2')
  await expect(metals).toContainText(', Tin')
  const all = metals.locator('[popover]')
  await expect(all).toHaveCount(0)
  await metals.getByText('+2').hover()
  await expect(all.getByText('Tin')).toBeVisible()
  await page.mouse.move(0, 0)
  await expect(all).toHaveCount(0)
  await page.getByRole('grid', { name: OBJECT }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(all.getByText('Tin')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(all).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await expect(all.getByText('Tin')).toBeVisible()
})

test('names have pictures or initials, and pictures of other hosts are not requested', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Barometer')
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.goto(`/objects/${OBJECT}/${id.record_id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Add picture…' }).press('Enter')
  await (await chosen).setFiles({ name: 'barometer.png', mimeType: 'image/png', buffer: await picture(page) })
  await expect(page.getByText('Picture updated')).toBeVisible()
  await expect(page.locator('main h1').locator('..').locator('img')).toBeVisible()
  await expectAccessible(page)

  await page.goto(`/objects/${OBJECT}?sort=name&columns=name,metals`)
  await expect(cell(page, 1, 1)).toHaveText('Astrolabe')
  await expect(cell(page, 1, 1).locator('[data-letters="A"]')).toBeVisible()
  const shown = cell(page, 2, 1).locator('img')
  await expect(shown).toBeVisible()
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40)
  expect(requested).not.toContain(FOREIGN)

  await page.goto(`/objects/${OBJECT}/${id.record_id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove picture' }).click()
  await expect(page.getByText('Picture removed')).toBeVisible()
  await page.goto(`/objects/${OBJECT}?sort=name&columns=name,metals`)
  await expect(cell(page, 2, 1).locator('[data-letters="B"]')).toBeVisible()
})

/** A picture of 40 by 40 pixels. */
async function picture(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 40
    canvas.getContext('2d')?.fillRect(0, 0, 40, 40)
    return canvas.toDataURL()
  })
  return Buffer.from(url.replace(/^.*,/, ''), 'base64')
}
