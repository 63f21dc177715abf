/** Several values are selected by keyboard: in a table, on the page of a record, and in a dialog. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { recordNamed, seedDevices } from '../../support/seed'

const OBJECT = 'instruments'

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  await seedDevices(await consoleOf(context.request), 'instrument')
  await context.close()
})

const grid = (page: Page) => page.getByRole('grid', { name: 'instruments' })
const editor = (page: Page) => page.getByRole('dialog', { name: 'Edit Metals' })
const input = (page: Page) => page.getByRole('combobox', { name: 'Metals' })
const isHighlighted = /-/

async function pick(page: Page, typed: string) {
  await page.keyboard.type(typed)
  await expect(input(page)).toHaveAttribute('aria-activedescendant', isHighlighted)
  await page.keyboard.press('Enter')
}

async function expectMetals(page: Page, name: string, ...titles: string[]) {
  const own = await consoleOf(page.request)
  const metals = async () => {
    const { values } = await recordNamed(own, OBJECT, name)
    return values.metals.map((value: { option: { title: string } }) => value.option.title)
  }
  await expect.poll(metals).toEqual(titles)
}

async function editMetals(page: Page, row: string) {
  await grid(page).getByRole('row').filter({ hasText: row }).getByRole('gridcell').nth(3).click()
  await page.keyboard.press('Enter')
  await expect(input(page)).toBeFocused()
}

test('nothing is highlighted after a selection, and a second Enter saves the values', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await editMetals(page, 'Astrolabe')
  await expect(input(page)).not.toHaveAttribute('aria-activedescendant', isHighlighted)
  await pick(page, 'st')
  await expect(input(page)).not.toHaveAttribute('aria-activedescendant', isHighlighted)
  await pick(page, 'tin')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(editor(page)).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  await expectMetals(page, 'Astrolabe', 'Steel', 'Tin')
})

test('Escape saves the selected values', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await editMetals(page, 'Barometer')
  await pick(page, 'brass')
  await page.keyboard.press('Escape')
  await expect(editor(page)).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  await expectMetals(page, 'Barometer', 'Brass')
})

test('arrow keys highlight, Backspace removes the last value, and Enter without a highlight changes nothing', async ({
  page,
}) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await editMetals(page, 'Compass')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await pick(page, 'tin')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await expectMetals(page, 'Compass', 'Brass')
  await editMetals(page, 'Compass')
  await page.keyboard.press('Enter')
  await expect(editor(page)).toHaveCount(0)
  await expectMetals(page, 'Compass', 'Brass')
})

test('the page of a record saves selected values, too', async ({ page }) => {
  const own = await consoleOf(page.request)
  const { id } = await recordNamed(own, OBJECT, 'Dividers')
  await page.goto(`/objects/${OBJECT}/${id.record_id}`)
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await page.getByRole('button', { name: 'Edit Metals' }).press('Enter')
  await pick(page, 'tin')
  await pick(page, 'brass')
  await page.keyboard.press('Escape')
  await expect(editor(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit Metals' })).toBeFocused()
  await expectMetals(page, 'Dividers', 'Tin', 'Brass')
})

test('in a dialog, Enter after a selection submits the form with all values', async ({ page }) => {
  await page.goto(`/objects/${OBJECT}?sort=name`)
  await page.getByRole('button', { name: 'New instrument' }).press('Enter')
  await page.keyboard.type('Gnomon')
  const dialog = page.getByRole('dialog', { name: 'New instrument' })
  await dialog.getByRole('button', { name: /Show all/ }).press('Enter')
  await input(page).focus()
  await pick(page, 'steel')
  await pick(page, 'brass')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expectMetals(page, 'Gnomon', 'Steel', 'Brass')
})
