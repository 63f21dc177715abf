/** Cards of a board are moved by keyboard, over several columns. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { adminContext, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const LIST = 'board_keys'

test.beforeAll(async ({ browser }) => {
  const context = await adminContext(browser)
  const { v2 } = await consoleOf(context.request)
  if ((await v2('GET', `/lists/${LIST}`)).status === 200) return context.close()
  const list = { name: 'Board keys', api_slug: LIST, parent_object: 'companies' }
  await v2('POST', '/lists', { data: { ...list, workspace_access: 'full-access', workspace_member_access: [] } })
  await v2('POST', `/lists/${LIST}/attributes`, { data: attribute('Step', 'step', 'status') })
  for (const title of ['First', 'Second', 'Third']) {
    await v2('POST', `/lists/${LIST}/attributes/step/statuses`, { data: { title } })
  }
  for (const name of ['Arkwright Mills', 'Boulton & Watt']) {
    const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name } } })
    const parent = { parent_object: 'companies', parent_record_id: body.data.id.record_id }
    await v2('POST', `/lists/${LIST}/entries`, { data: { ...parent, entry_values: { step: 'First' } } })
  }
  await context.close()
})

/** The companies whose entries the service has in this column. */
async function companiesIn(page: Page, step: string): Promise<string[]> {
  const { v2 } = await consoleOf(page.request)
  const { data } = (await v2('POST', `/lists/${LIST}/entries/query`, { filter: { step } })).body
  const names = data.map(async ({ parent_record_id }: { parent_record_id: string }) => {
    const record = (await v2('GET', `/objects/companies/records/${parent_record_id}`)).body.data
    return record.values.name[0].value
  })
  return Promise.all(names)
}

/** Sets the step of the company's entry. */
async function placeIn(page: Page, step: string, company: string): Promise<void> {
  const { v2 } = await consoleOf(page.request)
  const filter = {
    path: [
      [LIST, 'parent_record'],
      ['companies', 'name'],
    ],
    constraints: { value: company },
  }
  const [entry] = (await v2('POST', `/lists/${LIST}/entries/query`, { filter })).body.data
  await v2('PUT', `/lists/${LIST}/entries/${entry.id.entry_id}`, { data: { entry_values: { step } } })
}

const column = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

test('a card is moved over several columns and back, and keeps the focus', async ({ page }) => {
  await placeIn(page, 'First', 'Arkwright Mills')
  await page.goto(`/lists/${LIST}?board=step`)
  const moved = card(page, 'Arkwright Mills')
  await moved.focus()
  for (const [key, title] of [
    ['Shift+ArrowRight', 'Second'],
    ['Shift+ArrowRight', 'Third'],
    ['Shift+ArrowLeft', 'Second'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(column(page, title).getByText('Arkwright Mills')).toBeVisible()
    await expect(moved).toBeFocused()
  }
  await expect.poll(() => companiesIn(page, 'Second')).toContain('Arkwright Mills')
})

test('a card moves further with keys that are pressed before the service responds', async ({ page }) => {
  await placeIn(page, 'First', 'Boulton & Watt')
  await page.goto(`/lists/${LIST}?board=step`)
  await card(page, 'Boulton & Watt').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column(page, 'Third').getByText('Boulton & Watt')).toBeVisible()
  await expect(card(page, 'Boulton & Watt')).toBeFocused()
  await expect.poll(() => companiesIn(page, 'Third')).toEqual(['Boulton & Watt'])
})

test('a record is added to the list with keys alone', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/objects/companies/records', { data: { values: { name: 'Quarterback Looms' } } })
  await page.goto(`/lists/${LIST}?board=step`)
  await page.getByRole('button', { name: 'Add record' }).press('Enter')
  await page.keyboard.type('quarterback')
  await expect(page.getByRole('option', { name: 'Quarterback Looms' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove Quarterback Looms' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(column(page, 'No status').getByText('Quarterback Looms')).toBeVisible()
})

test('a card that is moved by its menu keeps the focus', async ({ page }) => {
  await placeIn(page, 'Third', 'Boulton & Watt')
  await page.goto(`/lists/${LIST}?board=step`)
  await page.getByRole('button', { name: 'Move Boulton & Watt' }).press('Enter')
  await page.getByRole('menuitemradio', { name: 'First' }).press('Enter')
  await expect(column(page, 'First').getByText('Boulton & Watt')).toBeVisible()
  await expect(card(page, 'Boulton & Watt')).toBeFocused()
})

test('a card whose move is refused returns, keeps the focus and shows the reason', async ({ page }) => {
  await placeIn(page, 'First', 'Boulton & Watt')
  await page.goto(`/lists/${LIST}?board=step`)
  await page.route(/\/entries\/[^/]+$/, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 403, json: { code: 'unauthorized', message: 'Scope list_entry is missing.' } })
      : route.fallback(),
  )
  await card(page, 'Boulton & Watt').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(page.getByText("You don't have permission to change this value.")).toBeVisible()
  await expect(column(page, 'First').getByText('Boulton & Watt')).toBeVisible()
  await expect(card(page, 'Boulton & Watt')).toBeFocused()
})

test('the record of an entry opens beside the board and beside the table, and a move is undone', async ({ page }) => {
  await placeIn(page, 'First', 'Arkwright Mills')
  await placeIn(page, 'First', 'Boulton & Watt')
  await page.goto(`/lists/${LIST}?board=step`)
  const moved = card(page, 'Arkwright Mills')
  await moved.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column(page, 'Second')).toContainText('Arkwright Mills')
  await expect.poll(() => companiesIn(page, 'Second')).toEqual(['Arkwright Mills'])
  await page.keyboard.press('Control+z')
  await expect(column(page, 'First')).toContainText('Arkwright Mills')
  await expect.poll(() => companiesIn(page, 'First')).toHaveLength(2)

  await moved.focus()
  await page.keyboard.press('Alt+Enter')
  const panel = (name: string) => page.getByRole('region', { name, exact: true })
  await expect(panel('Arkwright Mills').getByRole('tab', { name: 'Activity' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(panel('Arkwright Mills')).toBeHidden()
  await expect(moved).toBeFocused()

  await page.goto(`/lists/${LIST}?sort=created_at`)
  const grid = page.getByRole('grid')
  await expect(grid.getByText('Boulton & Watt')).toBeVisible()
  await grid.focus()
  await page.keyboard.press('Alt+Enter')
  await expect(panel('Arkwright Mills').getByRole('tab', { name: 'Activity' })).toBeVisible()
  await panel('Arkwright Mills').getByRole('button', { name: /^Next/ }).click()
  await expect(panel('Boulton & Watt').getByRole('tab', { name: 'Activity' })).toBeVisible()
  await page.reload()
  await expect(panel('Boulton & Watt').getByRole('tab', { name: 'Activity' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(grid).toBeFocused()
})
