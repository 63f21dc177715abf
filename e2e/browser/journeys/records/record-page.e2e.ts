/** The record page: its header and its tabs. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, type Console, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

/** An object with two attributes and a list of its records. */
async function seed({ v2 }: Console, slug: string) {
  await v2('POST', '/objects', { data: { api_slug: slug, singular_noun: `${slug} item`, plural_noun: slug } })
  for (const data of [attribute('Name', 'name', 'text'), attribute('Weight', 'weight', 'number')]) {
    await v2('POST', `/objects/${slug}/attributes`, { data })
  }
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  await v2('POST', '/lists', {
    data: { name: `${slug} list`, api_slug: `${slug}_list`, parent_object: slug, ...access },
  })
  const { body } = await v2('POST', `/objects/${slug}/records`, { data: { values: { name: 'Sextant', weight: 7 } } })
  return body.data.id.record_id as string
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name })

test('tabs are moved through by keyboard, stand in the address, and Back leaves them', async ({ page }) => {
  const id = await seed(await consoleOf(page.request), 'tabbed')
  await page.goto('/objects/tabbed')
  await page.getByRole('gridcell', { name: 'Sextant' }).waitFor()
  await page.goto(`/objects/tabbed/${id}`)
  await expect(page.getByRole('heading', { name: 'Sextant' })).toBeVisible()
  await expect(page.getByRole('definition').getByText('7', { exact: true })).toBeVisible()
  await expectAccessible(page)

  await expect(page.getByRole('tabpanel', { name: 'Activity' }).getByText('created this record')).toBeVisible()
  const beside = page.getByRole('complementary', { name: 'Details and lists' })
  await expect(beside.getByText('Weight')).toBeVisible()
  await expect(beside.getByText('Not in any lists')).toBeVisible()

  await tab(page, 'Activity').focus()
  await page.keyboard.press('End')
  await expect(tab(page, 'Comments')).toBeFocused()
  await expect(tab(page, 'Comments')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('tabpanel', { name: 'Comments' }).getByText('No comments yet')).toBeVisible()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('comments')
  await expectAccessible(page)
  await page.keyboard.press('ArrowRight')
  await expect(tab(page, 'Activity')).toBeFocused()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('activity')
  await page.keyboard.press('ArrowLeft')
  await expect(tab(page, 'Comments')).toBeFocused()

  await page.reload()
  await expect(tab(page, 'Comments')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(tab(page, 'Activity')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(page.getByRole('gridcell', { name: 'Sextant' })).toBeVisible()
})

test('a record is added to a list and removed from it', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await seed(own, 'listed')
  const entries = async () => (await own.v2('GET', `/objects/listed/records/${id}/entries`)).body.data.length as number
  // Too narrow for the values beside the tabs.
  await page.setViewportSize({ width: 1100, height: 800 })
  await page.goto(`/objects/listed/${id}?tab=lists`)
  await expect(page.getByText('Not in any lists')).toBeVisible()
  await page.getByRole('button', { name: 'Add to list' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'listed list' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Added to listed list')).toBeVisible()
  const panel = page.getByRole('tabpanel', { name: 'Lists' })
  await expect(panel.getByRole('link', { name: 'listed list' })).toBeVisible()
  await expect(tab(page, 'Lists')).toHaveText(/1/)

  await page.getByRole('button', { name: 'Add to list' }).click()
  await page.getByRole('menuitem', { name: 'listed list' }).click()
  const question = page.getByRole('dialog', { name: 'Add to listed list again?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await entries()).toBe(1)

  await panel.getByRole('button', { name: 'Remove from listed list' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove “Sextant” from listed list?' })
  await dialog.getByRole('button', { name: 'Remove from list' }).click()
  await expect(panel.getByText('Not in any lists')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(panel.getByRole('link', { name: 'listed list' })).toBeVisible()
  expect(await entries()).toBe(1)
  await panel.getByRole('button', { name: 'Remove from listed list' }).click()
  await dialog.getByRole('button', { name: 'Remove from list' }).click()
  await expect(panel.getByText('Not in any lists')).toBeVisible()
  await page.goto('/home') // leaving the page ends the wait
  await expect.poll(entries).toBe(0)
})

test('the actions of a record are in one line at 390 pixels', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await seed(own, 'narrow')
  await page.setViewportSize({ width: 390, height: 780 })
  await page.goto(`/objects/narrow/${id}`)
  const tops = ['New note', 'New task', 'Add to list', 'More actions'].map(async (name) => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox()
    return box?.y
  })
  expect(new Set(await Promise.all(tops)).size).toBe(1)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Email…' }).click()
  await expect(page.getByRole('dialog', { name: 'New email' })).toBeVisible()
})

test('a record is merged with another one of its object', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await seed(own, 'duplicated')
  const records = '/objects/duplicated/records'
  const { body } = await own.v2('POST', records, { data: { values: { name: 'Sextant, brass', weight: 9 } } })
  const duplicate = body.data.id.record_id as string
  await page.goto(`/objects/duplicated/${id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Merge…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge “Sextant”' })
  await expect(dialog.getByRole('button', { name: 'Merge' })).toBeDisabled()
  const picker = dialog.getByRole('combobox', { name: 'Merge with' })
  await picker.focus()
  await page.keyboard.type('sextant')
  await expect(dialog.getByRole('option')).toHaveText(['Sextant, brass'])
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('“Sextant” and “Sextant, brass” become one')).toBeVisible()
  const weight = dialog.getByRole('row').filter({ hasText: 'Weight' })
  await expect(weight.getByRole('cell')).toHaveText(['7', '9(not kept)', '7'])
  await dialog.getByRole('button', { name: 'Swap' }).click()
  await expect(weight.getByRole('cell')).toHaveText(['9', '7(not kept)', '9'])
  await dialog.getByRole('button', { name: 'Swap' }).click()
  await expect(weight.getByRole('cell').last()).toHaveText('7')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await expect(page.getByText('“Sextant, brass” merged into “Sextant”')).toBeVisible()
  await expect(page.getByRole('definition').getByText('7', { exact: true })).toBeVisible()
  await expect(page).not.toHaveURL(new RegExp(`${id}|${duplicate}`))
  await expect.poll(async () => (await own.v2('GET', `${records}/${duplicate}`)).status).toBe(404)
})

test('the lines and the postcode of a location stand behind More', async ({ page }) => {
  const own = await consoleOf(page.request)
  await seed(own, 'located')
  await own.v2('POST', '/objects/located/attributes', { data: attribute('Site', 'site', 'location') })
  const place = {
    line_1: 'Mill Lane 1',
    line_2: null,
    line_3: null,
    line_4: null,
    locality: 'Leeds',
    region: 'Yorkshire',
    postcode: 'LS1',
    country_code: 'GB',
    latitude: null,
    longitude: null,
  }
  const created = await own.v2('POST', '/objects/located/records', { data: { values: { name: 'Mill', site: place } } })
  await page.goto(`/objects/located/${created.body.data.id.record_id}`)
  const row = page.getByRole('listitem').filter({ hasText: 'Site' })
  await expect(row.getByText('Leeds, Yorkshire, United Kingdom')).toBeVisible()
  await expect(page.getByText('Mill Lane 1')).toHaveCount(0)
  await row.getByRole('button', { name: /Site/ }).first().click()
  await expect(page.getByLabel('Site: postcode')).toHaveCount(0)
  await page.getByRole('button', { name: 'More: address lines and postcode' }).press('Enter')
  await expect(page.getByLabel('Site: address line 1')).toHaveValue('Mill Lane 1')
  await page.getByLabel('Site: postcode').fill('LS2')
  await expectAccessible(page)
})

test('a deal is created on the page of its company, and everything that it lacks is said at once', async ({ page }) => {
  const own = await consoleOf(page.request)
  const company = await own.create('/objects/companies/records', { values: { name: 'Harbour Maps' } })
  await page.goto(`/objects/companies/${company.id.record_id}`)
  const create = page.getByRole('button', { name: 'New deal' })
  await create.waitFor()
  await expectAccessible(page)
  await create.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New deal' })
  await expect(dialog.getByRole('button', { name: 'Remove Harbour Maps' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Remove Ada Lovelace' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Create deal' }).click()
  await expect(dialog.getByText('A value is required.')).toHaveCount(2)
  await expect(dialog.getByRole('textbox', { name: 'Deal name' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type('Charts of the coast')
  await dialog.getByRole('combobox', { name: 'Deal stage' }).fill('lead')
  await page.getByRole('option', { name: 'Lead' }).click()
  await dialog.getByRole('button', { name: 'Create deal' }).click()
  await expect(page.getByText('Deal created')).toBeVisible()
  await expect(create).toBeFocused()
  await expect(page.getByRole('cell').getByRole('link', { name: 'Charts of the coast' })).toBeVisible()
  const { values } = (await own.v2('POST', '/objects/deals/records/query', { filter: { name: 'Charts of the coast' } }))
    .body.data[0]
  expect(values.associated_company[0].target_record_id).toBe(company.id.record_id)
  expect(values.owner[0].referenced_actor_type).toBe('workspace-member')
})

test('a form of a new record begins with required attributes and default values', async ({ page }) => {
  const own = await consoleOf(page.request)
  await seed(own, 'preset')
  const fixed = (value: unknown) => ({ type: 'static', template: [value] })
  for (const data of [
    { ...attribute('Size', 'size', 'number', { is_required: true }), default_value: fixed(12) },
    { ...attribute('Metal', 'metal', 'select'), config: { options: ['Brass', 'Tin'] }, default_value: fixed('Tin') },
    { ...attribute('Color', 'color', 'text'), default_value: fixed('Red') },
    {
      ...attribute('Bought', 'bought', 'date', { is_required: true }),
      default_value: { type: 'dynamic', template: 'P1M' },
    },
    attribute('Grade', 'grade', 'text', { is_required: true }),
  ]) {
    await own.create('/objects/preset/attributes', { ...data, is_default_value_enabled: true })
  }
  await page.goto('/objects/preset')
  await page.getByRole('button', { name: 'New preset item' }).click()
  const dialog = page.getByRole('dialog', { name: 'New preset item' })
  await expect(dialog.getByLabel('Size')).toHaveValue('12')
  await expect(dialog.locator('[data-attribute]')).toHaveCount(4)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Level')
  await dialog.getByLabel('Size').fill('')
  await dialog.getByRole('button', { name: 'Create preset item' }).click()
  await expect(dialog.getByText('A value is required.')).toHaveCount(2)
  await expect(dialog.getByLabel('Size')).toBeFocused()
  await page.keyboard.type('7')
  await dialog.getByLabel('Grade').fill('A')
  await dialog.getByRole('button', { name: /Show all/ }).click()
  await expect(dialog.getByRole('button', { name: 'Remove Tin' })).toBeVisible()
  await dialog.getByLabel('Color').fill('')
  await dialog.getByRole('button', { name: 'Create preset item' }).click()
  await expect(dialog).toHaveCount(0)
  const { body } = await own.v2('POST', '/objects/preset/records/query', { filter: { name: 'Level' } })
  const { size, metal, color, bought } = body.data[0].values
  expect(size[0].value).toBe(7)
  expect(metal[0].option.title).toBe('Tin')
  expect(color).toEqual([])
  expect(bought).toHaveLength(1)
})

test('the bar of a deal sets its stage, and related deals are added up', async ({ page }) => {
  const own = await consoleOf(page.request)
  const company = await own.create('/objects/companies/records', { values: { name: 'Copper & Sons' } })
  const deals: string[] = []
  for (const [name, value] of [
    ['Wire', 1200],
    ['Sheets', 300],
  ] as const) {
    const associated_company = [{ target_object: 'companies', target_record_id: company.id.record_id }]
    const values = { name, value, stage: 'Lead', owner: ADMIN.email, associated_company }
    deals.push((await own.create('/objects/deals/records', { values })).id.record_id)
  }
  await page.goto(`/objects/companies/${company.id.record_id}`)
  const table = page.getByRole('region', { name: 'Associated deals' })
  await expect(table.getByRole('row').filter({ hasText: 'Wire' })).toContainText('Lead')
  await expect(page.getByText('2 deals · $1,500')).toBeVisible()
  await expectAccessible(page)

  await table.getByRole('link', { name: 'Wire' }).click()
  const bar = page.getByRole('list', { name: 'Deal stage' })
  await expect(bar.getByRole('button', { name: 'Lead' })).toHaveAttribute('aria-current', 'step')
  await bar.getByRole('button', { name: 'In Progress' }).press('Enter')
  await expect(bar.getByRole('button', { name: 'In Progress' })).toHaveAttribute('aria-current', 'step')
  await expectAccessible(page)
  const stage = async () =>
    (await own.v2('GET', `/objects/deals/records/${deals[0]}`)).body.data.values.stage[0].status.title
  await expect.poll(stage).toBe('In Progress')

  await page.getByRole('button', { name: 'History of Deal stage' }).press('Enter')
  const history = page.getByRole('dialog', { name: 'History of Deal stage' })
  await expectAccessible(page)
  await history.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('Deal stage restored')).toBeVisible()
  await expect(bar.getByRole('button', { name: 'Lead' })).toHaveAttribute('aria-current', 'step')
  await expect.poll(stage).toBe('Lead')
})

test('an earlier value that is taken meanwhile is refused in the history', async ({ page }) => {
  const own = await consoleOf(page.request)
  await own.v2('POST', '/objects', { data: { api_slug: 'coded', singular_noun: 'Coded', plural_noun: 'Codes' } })
  await own.create('/objects/coded/attributes', { ...attribute('Name', 'name', 'text') })
  await own.create('/objects/coded/attributes', { ...attribute('Code', 'code', 'text', { is_unique: true }) })
  const { id } = await own.create('/objects/coded/records', { values: { name: 'First', code: 'A-1' } })
  await own.v2('PATCH', `/objects/coded/records/${id.record_id}`, { data: { values: { code: 'A-2' } } })
  await own.create('/objects/coded/records', { values: { name: 'Second', code: 'A-1' } })
  await page.goto(`/objects/coded/${id.record_id}`)
  await page.getByRole('button', { name: 'History of Code' }).press('Enter')
  const history = page.getByRole('dialog', { name: 'History of Code' })
  await history.getByRole('button', { name: 'Restore' }).click()
  await expect(history.getByText('This value is already used by another record.')).toBeVisible()
})
