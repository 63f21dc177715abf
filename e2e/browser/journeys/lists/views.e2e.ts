/** Views: boards, personal ones, renamed, duplicated, pinned to the navigation and deleted. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

async function seedObject(page: Page): Promise<string> {
  const { v2 } = await consoleOf(page.request)
  const noun = `views${crypto.randomUUID().slice(0, 8)}`
  await v2('POST', '/objects', { data: { api_slug: noun, singular_noun: `${noun} one`, plural_noun: noun } })
  for (const data of [
    attribute('Name', 'name', 'text'),
    attribute('Stage', 'stage', 'status'),
    attribute('City', 'city', 'text'),
  ]) {
    await v2('POST', `/objects/${noun}/attributes`, { data })
  }
  await v2('POST', `/objects/${noun}/attributes/stage/statuses`, { data: { title: 'Open' } })
  for (const values of [
    { name: 'Mill', stage: 'Open', city: 'Leeds' },
    { name: 'Loom', stage: 'Open', city: 'York' },
  ]) {
    await v2('POST', `/objects/${noun}/records`, { data: { values } })
  }
  return noun
}

const menu = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const item = (page: Page, name: string) => page.getByRole('menu', { name: 'Views' }).getByText(name, { exact: true })

test('a board is saved as a view with its filter and cards, and opened again', async ({ page }) => {
  const noun = await seedObject(page)
  const filter = encodeURIComponent(JSON.stringify({ city: 'York' }))
  await page.goto(`/objects/${noun}?board=stage&filter=${filter}&cards=city`)
  await expect(page.getByRole('listitem').filter({ hasText: 'Loom' })).toContainText('York')
  await menu(page, `All ${noun}`).click()
  await item(page, 'Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('In York')
  await page.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/view=[^&]+&board=stage$|board=stage&view=[^&]+$/)
  await page.goto(`/objects/${noun}`)
  await expect(page.getByRole('grid').getByText('Mill')).toBeVisible()
  await menu(page, `All ${noun}`).click()
  await item(page, 'In York').click()
  await expect(page.getByRole('region', { name: 'Open', exact: true }).getByText('Loom')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Mill' })).toHaveCount(0)
  await expect(page.getByTitle('Unsaved changes')).toHaveCount(0)
})

test('a view is pinned, renamed, duplicated as a personal one, and deleted', async ({ page }) => {
  const noun = await seedObject(page)
  const sort = 'sort=-name'
  await page.goto(`/objects/${noun}?${sort}`)
  await menu(page, `All ${noun}`).click()
  await item(page, 'Save as new view').click()
  await page.getByRole('textbox', { name: 'Title' }).fill(`Down ${noun}`)
  await page.getByRole('button', { name: 'Save view' }).click()

  await menu(page, `Down ${noun}`).click()
  await item(page, 'Pin to navigation').click()
  const pinned = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: `Down ${noun}` })
  await expect(pinned).toHaveAttribute('aria-current', 'page')
  await menu(page, `Down ${noun}`).click()
  await item(page, 'Rename').click()
  await page.getByRole('textbox', { name: 'Title' }).fill(`Reverse ${noun}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  const renamed = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: `Reverse ${noun}` })
  await expect(renamed).toBeVisible()
  await expectAccessible(page)

  await page.goto('/tasks')
  await renamed.click()
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toContainText('Mill')

  await menu(page, `Reverse ${noun}`).click()
  await item(page, 'Duplicate').click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue(`Reverse ${noun} (copy)`)
  await page.getByRole('combobox', { name: 'Who can use it' }).selectOption('Only me')
  await page.getByRole('button', { name: 'Save view' }).click()
  await menu(page, `Reverse ${noun} (copy)`).click()
  await expect(item(page, 'Share with everyone')).toBeVisible()
  await item(page, 'Share with everyone').click()
  await expect(page.getByText(`“Reverse ${noun} (copy)” shared`)).toBeVisible()

  await page.goto('/tasks')
  await renamed.click()
  await menu(page, `Reverse ${noun}`).click()
  await item(page, `Delete “Reverse ${noun}”`).click()
  await page.getByRole('button', { name: 'Delete view' }).click()
  await expect(renamed).toHaveCount(0)
  await expect(menu(page, `All ${noun}`)).toBeVisible()
})

test('a view ignores an archived attribute until it is restored, and archiving it asks before', async ({ page }) => {
  const noun = await seedObject(page)
  const { v2 } = await consoleOf(page.request)
  const data = {
    title: 'Cities',
    type: 'table',
    filter: { city: 'York' },
    sorts: [{ attribute: 'city', direction: 'asc' }],
  }
  const view = (await v2('POST', `/objects/${noun}/views`, { data })).body.data
  await page.goto(`/settings/objects/${noun}/city`)
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Archive City?' })
  await expect(question).toContainText('The view “Cities” filters or sorts by it.')
  await question.getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByText('City archived')).toBeVisible()

  await page.goto(`/objects/${noun}?view=${view.id.view_id}`)
  await expect(page.getByText('City is archived. Conditions and sorts with it are ignored.')).toBeVisible()
  await expect(page.getByRole('grid').getByText('Mill')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore City' }).click()
  await expect(page.getByRole('grid').getByText('Mill')).toHaveCount(0)
  await expect(page.getByRole('grid').getByText('Loom')).toBeVisible()
  await expect(page.getByText('City is archived.')).toHaveCount(0)
})
