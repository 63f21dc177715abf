/** A list as a table and as a board. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, type Console, expect, test } from '../../support/journey'

const LIST = 'journeys'
const plain = { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {} }

async function seedList({ v2 }: Console): Promise<void> {
  if ((await v2('GET', `/lists/${LIST}`)).status === 200) return
  await v2('POST', '/lists', {
    data: {
      name: 'Journeys',
      api_slug: LIST,
      parent_object: 'companies',
      workspace_access: 'full-access',
      workspace_member_access: [],
    },
  })
  await v2('POST', `/lists/${LIST}/attributes`, {
    data: { title: 'Step', api_slug: 'step', type: 'status', ...plain },
  })
  for (const title of ['Asked', 'Agreed', 'Done']) {
    await v2('POST', `/lists/${LIST}/attributes/step/statuses`, { data: { title } })
  }
  for (const name of ['Babbage & Sons', 'Jacquard Looms', 'Menabrea Notes']) {
    const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name } } })
    const data = {
      parent_object: 'companies',
      parent_record_id: body.data.id.record_id,
      entry_values: { step: 'Asked' },
    }
    await v2('POST', `/lists/${LIST}/entries`, { data })
  }
}

test('cards are moved by mouse, keyboard and menu, and a record is added', async ({ page }) => {
  const own = await consoleOf(page.request)
  await seedList(own)
  const countOf = async (step: string) =>
    (await own.v2('POST', `/lists/${LIST}/entries/query`, { filter: { step } })).body.data.length
  await page.goto(`/lists/${LIST}`)
  await expect(page.getByRole('grid').getByText('Jacquard Looms')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('radio', { name: 'Board' }).check()
  await expect(page).toHaveURL(`/lists/${LIST}?board=step`)
  const column = (title: string) => page.getByRole('region', { name: title, exact: true })
  const card = (name: string) => page.getByRole('listitem').filter({ hasText: name })

  await card('Babbage & Sons').dragTo(column('Agreed'))
  await expect(column('Agreed').getByText('Babbage & Sons')).toBeVisible()
  await expect.poll(() => countOf('Agreed')).toBe(1)

  await card('Jacquard Looms').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column('Agreed').getByText('Jacquard Looms')).toBeVisible()
  await expect(card('Jacquard Looms')).toBeFocused()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(column('Done').getByText('Jacquard Looms')).toBeVisible()
  await expect.poll(() => countOf('Done')).toBe(1)

  await page.getByRole('button', { name: 'Move Menabrea Notes' }).click()
  await page.getByRole('menuitemradio', { name: 'Done' }).click()
  await expect.poll(() => countOf('Done')).toBe(2)
  await expectAccessible(page)

  const { body } = await own.v2('POST', '/objects/companies/records', {
    data: { values: { name: 'Zeugma Clockworks' } },
  })
  expect(body.data.id.record_id).toBeDefined()
  await page.getByRole('button', { name: 'Add record' }).click()
  await page.getByRole('combobox', { name: 'Record' }).fill('zeugma')
  await page.getByRole('option', { name: 'Zeugma Clockworks' }).click()
  await page.getByRole('button', { name: 'Add to list' }).click()
  await expect(column('No status').getByText('Zeugma Clockworks')).toBeVisible()
  await page.getByRole('button', { name: 'Add record' }).click()
  await page.getByRole('combobox', { name: 'Record' }).fill('zeugma')
  await page.getByRole('option', { name: 'Zeugma Clockworks' }).click()
  await page.getByRole('button', { name: 'Add to list' }).click()
  await expect(page.getByText('Zeugma Clockworks is already in this list.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add again' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Zeugma Clockworks' }).click()
  await expect(page.getByRole('link', { name: 'Journeys' }).last()).toBeVisible()
})

test('tables, boards and records do not overflow at 375 pixels', async ({ page }) => {
  const own = await consoleOf(page.request)
  await seedList(own)
  const { body } = await own.v2('POST', '/objects/companies/records/query', { limit: 1 })
  await page.setViewportSize({ width: 375, height: 700 })
  const record = `/objects/companies/${body.data[0].id.record_id}`
  for (const path of ['/objects/companies', `/lists/${LIST}?board=step`, record]) {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(375)
  }
})
