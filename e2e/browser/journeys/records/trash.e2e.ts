/** Deleted records are restored by Undo and from the trash, or deleted for good. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { seedDevices } from '../../support/seed'

const suffix = crypto
  .randomUUID()
  .slice(0, 8)
  .replaceAll(/[^a-z]/g, 'x')
const NOUN = `relic${suffix}`
const OBJECT = `${NOUN}s`
const TABLE = `/objects/${OBJECT}?sort=name`

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), NOUN)
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: OBJECT })
const row = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name })
const trashed = (page: Page, name: string) => page.getByRole('table').getByRole('row').filter({ hasText: name })

async function deleteRecord(page: Page, name: string): Promise<void> {
  await page.goto(TABLE)
  await row(page, name).getByRole('gridcell').nth(0).click()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('dialog', { name: `Delete 1 ${NOUN}?` })
  await expect(dialog.getByText('You can restore it from the trash for 30 days.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Delete 1' }).click()
  await expect(row(page, name)).toHaveCount(0)
}

test('Undo restores the selected records of a table', async ({ page }) => {
  await page.goto(TABLE)
  for (const name of ['Astrolabe', 'Barometer']) await row(page, name).getByRole('gridcell').nth(0).click()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 2' }).click()
  await expect(row(page, 'Astrolabe')).toHaveCount(0)
  await expect(page.getByText(`2 ${OBJECT} deleted`)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Deletion undone')).toBeVisible()
  for (const name of ['Astrolabe', 'Barometer']) await expect(row(page, name)).toHaveCount(1)
  await page.reload()
  for (const name of ['Astrolabe', 'Barometer']) await expect(row(page, name)).toHaveCount(1)
})

test('Undo after a deletion on the record page returns to the record', async ({ page }) => {
  await page.goto(TABLE)
  await row(page, 'Compass').getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: 'Compass' })).toBeVisible()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Delete ${NOUN}` })
    .click()
  await expect(page.getByText('“Compass” deleted')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('heading', { name: 'Compass' })).toBeVisible()
})

test('the trash shows deleted records, restores one and deletes another permanently', async ({ page }) => {
  await deleteRecord(page, 'Dividers')
  await deleteRecord(page, 'Engine')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Trash' }).click()
  await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible()
  await expect(trashed(page, 'Dividers')).toContainText('Ada Lovelace')
  await expect(trashed(page, 'Dividers')).toContainText('30 days')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Restore Dividers' }).click()
  await expect(trashed(page, 'Dividers')).toHaveCount(0)
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Dividers' })).toBeVisible()

  await page.goto(`/objects/${OBJECT}/trash`)
  await page.getByRole('button', { name: 'Actions for Engine' }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete “Engine” permanently?' })
  await expect(dialog).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('checkbox', { name: 'Erase the text of its tasks' }).check()
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('“Engine” deleted permanently')).toBeVisible()
  await expect(page.getByText(`No deleted ${OBJECT}`)).toBeVisible()
  await page.setViewportSize({ width: 375, height: 700 })
  await expect(page.getByText(`No deleted ${OBJECT}`)).toBeVisible()
})

test('a record whose unique value was taken stays in the trash, with the reason', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const create = async (name: string) =>
    (await v2('POST', `/objects/${OBJECT}/records`, { data: { values: { name, serial: `taken-${suffix}` } } })).body
  const { data } = await create('Goniometer')
  await v2('DELETE', `/objects/${OBJECT}/records/${data.id.record_id}`)
  await create('Successor')
  await page.goto(`/objects/${OBJECT}/trash`)
  await page.getByRole('button', { name: 'Restore Goniometer' }).click()
  await expect(page.getByText(/"serial" conflicts/)).toBeVisible()
  await expect(trashed(page, 'Goniometer')).toHaveCount(1)
})

test('an object that does not exist has no trash, and a failed read can be tried again', async ({ page }) => {
  await page.goto('/objects/nothing-here/trash')
  await expect(page.getByText('Object not found')).toBeVisible()
  const path = `/objects/${OBJECT}/records/trash`
  await page.route(`**${path}*`, (route) => route.abort())
  await page.goto(`/objects/${OBJECT}/trash`)
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect(retry).toBeVisible()
  // The screen also reads again by itself when it is connected, so the reads fail until the button was pressed.
  await Promise.all([page.waitForRequest((request) => request.url().includes(path)), retry.click()])
  await page.unroute(`**${path}*`)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Trash' })).toBeVisible()
  await expect(retry).toHaveCount(0)
})
