/** Rows are grouped by the values of an attribute. */

import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { recordNamed, seedDevices } from '../../support/seed'

const NOUN = `group${randomBytes(4).toString('hex')}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=name&columns=name,metals,weight`
const METALS = { Astrolabe: ['Brass', 'Steel'], Barometer: ['Steel'], Compass: ['Steel'] }

test.beforeEach(async ({ browser }) => {
  const context = await adminContext(browser)
  const own = await consoleOf(context.request)
  await seedDevices(own, NOUN)
  for (const [name, metals] of Object.entries(METALS)) {
    const { id } = await recordNamed(own, OBJECT, name)
    await own.v2('PUT', `/objects/${OBJECT}/records/${id.record_id}`, { data: { values: { metals } } })
  }
  await context.close()
})

const section = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const rows = (page: Page, name: string) => page.getByRole('grid', { name: `${OBJECT}, ${name}` }).getByRole('row')

test('rows are grouped by keyboard, in the order of the options, and edited in their groups', async ({ page }) => {
  await page.goto(TABLE)
  await page.getByRole('columnheader', { name: 'Metals' }).getByRole('button').first().press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Group by this column' }).press('Enter')
  const headings = page.getByRole('heading', { level: 2 }).getByRole('button')
  await expect(headings).toHaveText(['Brass 1', 'Steel 3', 'No value 3'])
  await expect(page).toHaveURL(/group=metals/)
  await section(page, 'Steel 3').press('Enter')
  await expect(rows(page, 'Steel')).toHaveCount(4)
  await expect(rows(page, 'Steel').nth(2)).toContainText('Barometer')
  await expectAccessible(page)
  await section(page, 'No value 3').press('Enter')
  await expect(rows(page, 'No value')).toHaveCount(4)

  const grid = page.getByRole('grid', { name: `${OBJECT}, Steel` })
  await grid.focus()
  await page.keyboard.press('End')
  await page.keyboard.type('42')
  await page.keyboard.press('Enter')
  await expect(rows(page, 'Steel').nth(1)).toContainText('42')
  const own = await consoleOf(page.request)
  await expect.poll(async () => (await recordNamed(own, OBJECT, 'Astrolabe')).values.weight[0].value).toBe(42)

  const { id } = await recordNamed(own, OBJECT, 'Compass')
  await own.v2('PUT', `/objects/${OBJECT}/records/${id.record_id}`, { data: { values: { metals: ['Tin'] } } })
  await expect(headings).toHaveText(['Brass 1', 'Steel 2', 'Tin 1', 'No value 3'])
  await section(page, 'Steel 2').press('Enter')
  await expect(grid).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove grouping' }).press('Enter')
  await expect(page.getByRole('grid', { name: OBJECT, exact: true }).getByRole('row')).toHaveCount(7)
})
