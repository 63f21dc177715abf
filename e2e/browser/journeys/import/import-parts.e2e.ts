/** Columns of a file that together make one value: an address, a name. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute, recordNamed } from '../../support/seed'

const upload = (page: Page, text: string) =>
  page.getByLabel('Choose a file').setInputFiles({ name: 'parts.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

const preview = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Preview' }).getByRole('row').filter({ hasText: text })

test('the columns of an address become one new location, as the preview shows', async ({ page }) => {
  const own = await consoleOf(page.request)
  const slug = `mills_${crypto.randomUUID().slice(0, 8)}`
  await own.v2('POST', '/objects', { data: { api_slug: slug, singular_noun: `${slug} one`, plural_noun: slug } })
  await own.v2('POST', `/objects/${slug}/attributes`, { data: attribute('Name', 'name', 'text') })
  await page.goto(`/objects/${slug}/import`)
  await upload(
    page,
    'Name,City (HQ),State / Region (HQ),Country (HQ),Street,Zip\nCrank,Leeds,Yorkshire,UK,Mill Lane 1,LS1\n',
  )
  const target = (column: string) => page.getByLabel(`Attribute for “${column}”`)
  await expect(target('City (HQ)')).toHaveValue('headquarters_address.locality:location')
  await expect(target('Zip')).toHaveValue('headquarters_address.postcode:location')
  await expect(target('City (HQ)').locator('option:checked')).toHaveText('Headquarters address: city (new Location)')
  await expect(preview(page, 'Crank')).toContainText('Mill Lane 1, Leeds, Yorkshire, LS1, United Kingdom')
  await expect(preview(page, 'Line')).toContainText('City (HQ), State / Region (HQ), Country (HQ), Street, Zip')
  await target('Country (HQ)').selectOption('Headquarters address: region (new Location)')
  await expect(page.getByRole('alert')).toContainText('go to the same part')
  await target('Country (HQ)').selectOption('Headquarters address: country (new Location)')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Start import' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()
  const { values } = await recordNamed(own, slug, 'Crank')
  expect(values.headquarters_address).toMatchObject([
    { line_1: 'Mill Lane 1', locality: 'Leeds', region: 'Yorkshire', postcode: 'LS1', country_code: 'GB' },
  ])
})

test('first and last names become one name', async ({ page }) => {
  await page.goto('/objects/people/import')
  await upload(page, 'First name,Last name,City\nMary,Anning,Lyme Regis\n')
  await expect(page.getByLabel('Attribute for “First name”')).toHaveValue('name.first_name')
  await expect(page.getByLabel('Attribute for “Last name”')).toHaveValue('name.last_name')
  await expect(preview(page, 'Anning')).toContainText('Mary Anning')
  await page.getByRole('button', { name: 'Discard file' }).click()
})
