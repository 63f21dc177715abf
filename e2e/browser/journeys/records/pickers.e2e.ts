/** Values are selected by keyboard, in a table, on the page of a record, and in a dialog, and records are created where they are selected. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed, seedDevices } from '../../support/seed'

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

/** An object with a name, and one that refers to its records. Each journey names its own. */
async function seedReference(page: Page, noun: string, rules: Parameters<typeof attribute>[3] = {}) {
  const own = await consoleOf(page.request)
  const makers = `${noun}_makers`
  await own.create('/objects', { api_slug: makers, singular_noun: `${noun} maker`, plural_noun: `${noun} makers` })
  await own.create(`/objects/${makers}/attributes`, attribute('Name', 'name', 'text', rules))
  await own.create('/objects', { api_slug: noun, singular_noun: `${noun} item`, plural_noun: noun })
  await own.create(`/objects/${noun}/attributes`, attribute('Name', 'name', 'text'))
  const config = { record_reference: { allowed_objects: [makers, 'people', 'deals'] } }
  await own.create(`/objects/${noun}/attributes`, attribute('Maker', 'maker', 'record-reference', { config }))
  await own.create(`/objects/${noun}/records`, { values: { name: 'Sextant' } })
  const names = async (object: string) => {
    const { body } = await own.v2('POST', `/objects/${object}/records/query`, {})
    return body.data.map(({ values }: { values: Record<string, Record<string, string>[]> }) => {
      const [name] = values.name ?? []
      return name?.full_name ?? name?.value
    })
  }
  const makerOf = async (name: string) => (await recordNamed(own, noun, name)).values.maker[0]?.target_object
  return { own, makers, names, makerOf }
}

const maker = (page: Page) => page.getByRole('combobox', { name: 'Maker' })

test('a cell creates the record that it refers to, of one of the allowed objects', async ({ page }) => {
  const { own, makers, names, makerOf } = await seedReference(page, 'made')
  await own.create(`/objects/${makers}/records`, { values: { name: 'Ramsden' } })
  await page.goto('/objects/made')
  const grid = page.getByRole('grid', { name: 'made' })
  await grid.getByRole('row').filter({ hasText: 'Sextant' }).getByRole('gridcell').nth(2).click()
  await page.keyboard.press('Enter')
  await maker(page).fill('ramsden')
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([/Ramsden/])
  await maker(page).fill('Brand New')
  // Deals have required attributes beside the name.
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([
    /^Create “Brand New”\s*Person\s*$/,
    /^Create “Brand New”\s*made maker\s*$/,
  ])
  await page.keyboard.press('ArrowDown')
  await expect(maker(page)).toHaveAttribute('aria-activedescendant', /new-made_makers$/)
  await expectAccessible(page)
  await expect(maker(page)).toHaveAttribute('aria-activedescendant', /new-made_makers$/)
  await maker(page).press('Enter')
  await expect(page.getByText('made maker created')).toBeVisible()
  await expect(grid.getByRole('row').filter({ hasText: 'Sextant' })).toContainText('Brand New')
  await expect.poll(() => makerOf('Sextant')).toBe(makers)
  expect(await names(makers)).toEqual(['Ramsden', 'Brand New'])
})

test('a dialog creates the record that it refers to, and Enter meanwhile submits nothing', async ({ page }) => {
  const { own, makerOf } = await seedReference(page, 'drawn')
  await page.goto('/objects/drawn')
  await page.getByRole('button', { name: 'New drawn item' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New drawn item' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Quadrant')
  await dialog.getByRole('button', { name: /Show all/ }).press('Enter')
  await maker(page).fill('Mary Somerville')
  await page.getByRole('option', { name: 'Create “Mary Somerville” Person' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Remove Mary Somerville' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect.poll(() => makerOf('Quadrant')).toBe('people')
  const { body } = await own.v2('POST', '/objects/people/records/query', { filter: { name: 'Mary Somerville' } })
  expect(body.data[0].values.name[0]).toMatchObject({ first_name: 'Mary', last_name: 'Somerville' })
})

test('a refused record leaves the typed name, and objects that need more are not offered', async ({ page }) => {
  const { own, makers, names } = await seedReference(page, 'refused', { is_unique: true })
  const { id } = await recordNamed(own, 'refused', 'Sextant')
  await page.goto(`/objects/refused/${id.record_id}`)
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await page.getByRole('button', { name: 'Edit Maker' }).press('Enter')
  await maker(page).fill('Troughton')
  const option = page.getByRole('option', { name: 'Create “Troughton” refused maker' })
  await option.waitFor()
  await own.create(`/objects/${makers}/records`, { values: { name: 'Troughton' } })
  await option.click()
  await expect(page.locator('.toast')).toContainText('uniq')
  await expect(maker(page)).toHaveValue('Troughton')
  expect(await names(makers)).toEqual(['Troughton'])

  await own.create(`/objects/${makers}/attributes`, attribute('City', 'city', 'text', { is_required: true }))
  await page.reload()
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await page.getByRole('button', { name: 'Edit Maker' }).press('Enter')
  await maker(page).fill('Sisson')
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([/^Create “Sisson”\s*Person\s*$/])
})

test('filters select records and create none', async ({ page }) => {
  await seedReference(page, 'filtered')
  const filter = { maker: { target_object: 'people', target_record_id: crypto.randomUUID() } }
  await page.goto(`/objects/filtered?${new URLSearchParams({ filter: JSON.stringify(filter) })}`)
  await page.getByRole('combobox', { name: 'Filter value' }).fill('Brand New')
  await expect(page.getByRole('status').filter({ hasText: 'No results for “Brand New”' })).toBeVisible()
  await expect(page.getByRole('option', { name: /Create/ })).toHaveCount(0)
})
