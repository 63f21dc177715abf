/** The totals below a table, over everything that the filter finds. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { recordNamed, seedDevices } from '../../support/seed'

const NOUN = `total${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=name&columns=name,weight,price,website`

test.beforeEach(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), NOUN)
  await context.close()
})

const footer = (page: Page) => page.getByRole('toolbar', { name: 'Totals' })
const total = (page: Page, name: string) => footer(page).getByRole('button', { name })

test('totals are chosen by keyboard, follow the filter and changes, and stay chosen', async ({ page }) => {
  await page.goto(TABLE)
  await expect(page.getByRole('grid', { name: OBJECT }).getByRole('row').nth(1)).toContainText('Astrolabe')
  await total(page, 'Calculate a total of Name').press('Enter')
  await page.getByRole('menuitemradio', { name: 'Count' }).press('Enter')
  await expect(total(page, 'Count of Name: 6')).toBeVisible()
  await total(page, 'Count of Name: 6').press('ArrowRight')
  await expect(total(page, 'Calculate a total of Weight')).toBeFocused()
  await page.keyboard.press('Enter')
  await expectAccessible(page)
  await page.getByRole('menuitemradio', { name: 'Average' }).press('Enter')
  await expect(total(page, 'Average of Weight: 3.5')).toBeVisible()
  await total(page, 'Calculate a total of Price').press('Enter')
  await page.getByRole('menuitemradio', { name: 'Sum' }).press('Enter')
  await expect(total(page, 'Sum of Price: €60')).toBeVisible()
  await total(page, 'Calculate a total of Website').press('Enter')
  await expect(page.getByRole('menuitemradio', { name: 'Sum' })).toHaveCount(0)
  await page.getByRole('menuitemradio', { name: 'Empty' }).press('Enter')
  await expect(total(page, 'Empty of Website: 6')).toBeVisible()

  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Furnace')
  await own.v2('PATCH', `/objects/${OBJECT}/records/${id.record_id}`, { data: { values: { price: 50 } } })
  await expect(total(page, 'Sum of Price: €100')).toBeVisible()
  await page.goto(`${TABLE}&filter=${encodeURIComponent('{"weight":{"$lt":3}}')}`)
  await expect(total(page, 'Sum of Price: €20')).toBeVisible()
  await expect(total(page, 'Count of Name: 2')).toBeVisible()
})
