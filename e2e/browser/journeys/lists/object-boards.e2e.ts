/** The records of an object as a board: filter, sums, cards, new records in a column, more on scroll. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const euros = { config: { currency: { default_currency_code: 'EUR', display_type: 'symbol' } } }

/** A new object with the stages Lead, Offer and Won, and some records. */
async function seedProjects(page: Page, records: readonly object[]) {
  const { v2, create } = await consoleOf(page.request)
  const noun = `jobs${crypto.randomUUID().slice(0, 8)}`
  await create('/objects', { api_slug: noun, singular_noun: `${noun} one`, plural_noun: noun })
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Stage', 'stage', 'status'),
    attribute('Color', 'color', 'select'),
    attribute('Worth', 'worth', 'currency', euros),
    attribute('City', 'city', 'text'),
  ]) {
    await create(`/objects/${noun}/attributes`, data)
  }
  for (const title of ['Lead', 'Offer', 'Won']) await create(`/objects/${noun}/attributes/stage/statuses`, { title })
  await create(`/objects/${noun}/attributes/color/options`, { title: 'Red' })
  for (let at = 0; at < records.length; at += 200) {
    const operations = records.slice(at, at + 200).map((values) => ({ op: 'create', values }))
    await create(`/objects/${noun}/records/batch`, { operations })
  }
  const stageOf = async (name: string) => {
    const { data } = (await v2('POST', `/objects/${noun}/records/query`, { filter: { name } })).body
    return data[0]?.values.stage[0]?.status.title
  }
  return { noun, stageOf, v2 }
}

const column = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

test('records are moved, counted and added up in columns, and created in one', async ({ page }) => {
  const { noun, stageOf } = await seedProjects(page, [
    { name: 'Mill', stage: 'Lead', worth: 1000, city: 'Leeds' },
    { name: 'Loom', stage: 'Lead', worth: 250.5, city: 'York' },
    { name: 'Engine', stage: 'Won', worth: 40 },
  ])
  await page.goto(`/objects/${noun}`)
  await page.getByRole('radio', { name: 'Board' }).check()
  await expect(page).toHaveURL(`/objects/${noun}?board=stage`)
  await expect(card(page, 'Mill')).toContainText('Leeds')
  await expect(column(page, 'Offer')).toContainText(`No ${noun}`)

  await page.getByRole('combobox', { name: 'Sum of each column' }).selectOption('Sum of Worth')
  await expect(column(page, 'Lead').getByTitle('Sum of Worth')).toHaveText('€1,250.50')
  await expect(column(page, 'Offer').getByTitle('Sum of Worth')).toHaveText('€0')

  await card(page, 'Mill').dragTo(column(page, 'Offer'))
  await expect(column(page, 'Offer').getByTitle('Sum of Worth')).toHaveText('€1,000')
  await expect(column(page, 'Lead').getByTitle('Sum of Worth')).toHaveText('€250.50')
  await expect.poll(() => stageOf('Mill')).toBe('Offer')
  await card(page, 'Loom').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column(page, 'Offer').getByText('Loom')).toBeVisible()
  await expect(card(page, 'Loom')).toBeFocused()
  await expect.poll(() => stageOf('Loom')).toBe('Offer')
  await expectAccessible(page)

  await page.getByRole('button', { name: `New ${noun} one in Won` }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Bridge')
  await page.getByRole('button', { name: `Create ${noun} one` }).click()
  await expect(column(page, 'Won').getByText('Bridge')).toBeVisible()
  await expect.poll(() => stageOf('Bridge')).toBe('Won')
  await page.getByRole('link', { name: 'Bridge' }).click()
  await expect(page.getByRole('heading', { name: 'Bridge' })).toBeVisible()
})

test('a board is filtered, shows chosen attributes and has columns by another attribute', async ({ page }) => {
  const { noun } = await seedProjects(page, [
    { name: 'Mill', stage: 'Lead', color: 'Red', city: 'Leeds' },
    { name: 'Loom', stage: 'Lead', city: 'York' },
  ])
  const filter = encodeURIComponent(JSON.stringify({ city: 'York' }))
  await page.goto(`/objects/${noun}?board=stage&filter=${filter}`)
  await expect(column(page, 'Lead').getByText('Loom')).toBeVisible()
  await expect(card(page, 'Mill')).toHaveCount(0)
  await page.goto(`/objects/${noun}?board=stage`)
  await page.getByRole('button', { name: 'Cards' }).click()
  await page.getByRole('checkbox', { name: 'City' }).uncheck()
  await page.keyboard.press('Escape')
  await expect(card(page, 'Mill')).toBeVisible()
  await expect(card(page, 'Mill')).not.toContainText('Leeds')
  await page.getByRole('combobox', { name: 'Columns of the board' }).selectOption('Color')
  await expect(column(page, 'Red').getByText('Mill')).toBeVisible()
  await expect(column(page, 'No value').getByText('Loom')).toBeVisible()
})

test('a column loads more cards while it is scrolled; an archived status keeps its cards', async ({ page }) => {
  const many = Array.from({ length: 75 }, (_, index) => ({ name: `Job ${index}`, stage: 'Lead' }))
  const { noun, v2 } = await seedProjects(page, [...many, { name: 'Old', stage: 'Won' }])
  await v2('PATCH', `/objects/${noun}/attributes/stage/statuses/Won`, { data: { is_archived: true } })
  await page.goto(`/objects/${noun}?board=stage`)
  const lead = column(page, 'Lead')
  await expect(lead.getByText('75', { exact: true })).toBeVisible()
  await expect(lead.getByRole('link')).toHaveCount(30)
  for (const count of [60, 75]) {
    await lead.getByRole('list').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await expect(lead.getByRole('link')).toHaveCount(count)
  }
  await expect(column(page, 'Won').getByText('Archived')).toBeVisible()
  await expect(page.getByRole('button', { name: `New ${noun} one in Won` })).toHaveCount(0)
  await card(page, 'Old').focus()
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(column(page, 'Offer').getByText('Old')).toBeVisible()
})

test('a card is edited, opened beside the board and undone by keyboard, and the sum is kept', async ({ page }) => {
  const { noun, stageOf, v2 } = await seedProjects(page, [
    { name: 'Mill', stage: 'Lead', worth: 1000, city: 'Leeds' },
    { name: 'Loom', stage: 'Lead', worth: 250 },
  ])
  const worthOf = async (name: string) => {
    const { data } = (await v2('POST', `/objects/${noun}/records/query`, { filter: { name } })).body
    return data[0]?.values.worth[0]?.currency_value
  }
  await page.goto(`/objects/${noun}?board=stage`)
  await page.getByRole('combobox', { name: 'Sum of each column' }).selectOption('Sum of Worth')
  await page.goto(`/objects/${noun}?board=stage`)
  await expect(column(page, 'Lead').getByTitle('Sum of Worth')).toHaveText('€1,250')

  await card(page, 'Mill').getByText('€1,000').click()
  const editor = page.getByRole('dialog', { name: 'Edit Worth' })
  await editor.getByRole('textbox', { name: 'Worth' }).fill('1200')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(card(page, 'Mill')).toBeFocused()
  await expect(column(page, 'Lead').getByTitle('Sum of Worth')).toHaveText('€1,450')
  await expect.poll(() => worthOf('Mill')).toBe(1200)
  await page.keyboard.press('Control+z')
  await expect(column(page, 'Lead').getByTitle('Sum of Worth')).toHaveText('€1,250')
  await expect.poll(() => worthOf('Mill')).toBe(1000)

  await card(page, 'Loom').getByRole('button', { name: 'Move Loom' }).click()
  await page.getByRole('menuitem', { name: 'Edit City' }).click()
  await page.getByRole('dialog', { name: 'Edit City' }).getByRole('textbox', { name: 'City' }).fill('York')
  await page.keyboard.press('Enter')
  await expect(card(page, 'Loom')).toContainText('York')

  await card(page, 'Loom').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => stageOf('Loom')).toBe('Offer')
  await expect(card(page, 'Loom')).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(column(page, 'Lead').getByText('Loom')).toBeVisible()
  await expect.poll(() => stageOf('Loom')).toBe('Lead')

  await card(page, 'Mill').focus()
  await page.keyboard.press('Alt+Enter')
  await expect(page.getByRole('region', { name: 'Mill' }).getByRole('heading', { name: 'Mill' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(card(page, 'Mill')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Mill' })).toBeVisible()
})
