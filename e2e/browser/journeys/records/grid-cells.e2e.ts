/** What cells show: values that do not fit, and avatars. */

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

test('names have avatars, and images of other hosts are not requested', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Barometer')
  const image = `/favicon.svg?${randomBytes(3).toString('hex')}`
  await own.v2('PATCH', `/objects/${OBJECT}/records/${id.record_id}`, { data: { values: { avatar_url: image } } })
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.goto(`/objects/${OBJECT}?sort=name&columns=name,metals`)
  await expect(cell(page, 1, 1)).toHaveText('Astrolabe')
  await expect(cell(page, 1, 1).locator('[data-letters="A"]')).toBeVisible()
  await expect.poll(() => requested.some((url) => url.endsWith(image))).toBe(true)
  expect(requested).not.toContain(FOREIGN)
})
