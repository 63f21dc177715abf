/** Settings that decide how values are entered and shown: the default country, separators of thousands, colors of options. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed } from '../../support/seed'

const mark = crypto.randomUUID().slice(0, 8)

/** An object with a record that has a year. */
async function seed({ v2 }: Console, noun: string): Promise<string> {
  const slug = `${noun}_${mark}`
  const write = async (path: string, data: object) => expect((await v2('POST', path, { data })).status).toBe(200)
  await write('/objects', { api_slug: slug, singular_noun: `${noun} ${mark}`, plural_noun: `${noun}s ${mark}` })
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Phone', 'phone', 'phone-number', { is_multiselect: true }),
    attribute('Built', 'built', 'number'),
    attribute('Paint', 'paint', 'select'),
  ])
    await write(`/objects/${slug}/attributes`, data)
  await write(`/objects/${slug}/attributes/paint/options`, { title: 'Red', color: 'pink' })
  await write(`/objects/${slug}/records`, { values: { name: 'Tower', built: 2010, paint: 'Red' } })
  return slug
}

async function openRecord(page: Page, own: Console, slug: string): Promise<void> {
  const { id } = await recordNamed(own, slug, 'Tower')
  await page.goto(`/objects/${slug}/${id.record_id}`)
  await page.getByRole('heading', { name: 'Tower' }).waitFor()
}

const edit = (page: Page, title: string) => page.getByRole('button', { name: `Edit ${title}` }).press('Enter')

test('a phone number without a country code is refused with the reason, and accepted with a default country', async ({
  page,
}) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'lighthouse')
  await own.settings('PATCH', '', { default_country: null })
  await openRecord(page, own, slug)
  const showsAll = page.getByRole('button', { name: /^Show \d+ empty/ })
  if (await showsAll.count()) await showsAll.click()
  await edit(page, 'Phone')
  await page.keyboard.type('020 7946 0958')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('alert')).toContainText('begins with + and its country code')
  await page.keyboard.press('Escape')

  await page.goto('/settings/workspace')
  await page.getByLabel('Default country').selectOption('United Kingdom')
  await expect(page.getByText('Default country updated')).toBeVisible()
  await expectAccessible(page)
  try {
    await openRecord(page, own, slug)
    if (await showsAll.count()) await showsAll.click()
    await edit(page, 'Phone')
    await page.keyboard.type('12')
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('alert')).toContainText('Numbers outside United Kingdom begin with +')
    await page.getByRole('textbox', { name: 'Phone' }).fill('020 7946 0958')
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('link', { name: '+442079460958' }).first()).toBeVisible()
    const { values } = await recordNamed(own, slug, 'Tower')
    expect(values.phone).toMatchObject([{ phone_number: '+442079460958', country_code: 'GB' }])

    await page.goto(`/objects/${slug}/import`)
    const file = {
      name: 'towers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Name,Phone\nEddystone,020 7946 0018\n'),
    }
    await page.getByLabel('Choose a file').setInputFiles(file)
    await expect(page.getByLabel(/^Country for phone numbers/)).toHaveValue('GB')
    const row = page.getByRole('region', { name: 'Preview' }).getByRole('row').filter({ hasText: 'Eddystone' })
    await expect(row).toContainText('+442079460018')
  } finally {
    await own.settings('PATCH', '', { default_country: null })
  }
})

test('a year has no separator, until its attribute asks for one', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'bridge')
  await openRecord(page, own, slug)
  await expect(page.getByRole('complementary').getByText('2010', { exact: true })).toBeVisible()
  await page.goto(`/settings/objects/${slug}/built`)
  await page.getByLabel('Thousands separators').selectOption('always')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Attribute updated')).toBeVisible()
  await expectAccessible(page)
  await openRecord(page, own, slug)
  await expect(page.getByRole('complementary').getByText('2,010', { exact: true })).toBeVisible()
})

test('an option is created in its picker, with a color that it keeps', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = await seed(own, 'gate')
  await openRecord(page, own, slug)
  await edit(page, 'Paint')
  await page.keyboard.type('red')
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText(['Red'])
  await page.getByRole('combobox', { name: 'Paint' }).fill('Purple')
  await expect(page.getByRole('option', { name: 'Create “Purple”' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const paint = async () => (await recordNamed(own, slug, 'Tower')).values.paint[0].option
  await expect.poll(paint).toMatchObject({ title: 'Purple', color: 'indigo' })
  await expect(page.getByRole('complementary').locator('.option-tone-0').getByText('Purple')).toBeVisible()

  await page.goto(`/settings/objects/${slug}/paint`)
  await page.getByRole('button', { name: 'Edit Purple' }).click()
  await page.getByLabel('Color').selectOption('Purple')
  const dialog = page.getByRole('dialog', { name: 'Edit option' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Purple updated')).toBeVisible()
  await expect.poll(paint).toMatchObject({ title: 'Purple', color: 'purple' })
})
