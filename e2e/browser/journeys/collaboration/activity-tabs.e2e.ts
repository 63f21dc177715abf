/** Activities on the page of a record: phone calls, and activities of the workspace. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

const pick = async (page: Page, label: string, option: string) => {
  const field = page.getByRole('dialog').getByRole('combobox', { name: label })
  await field.fill(option)
  await page.getByRole('option', { name: option }).click()
}

test('a call is logged on the page of a person, shown among its values, deleted and restored', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const values = { name: 'Hopper, Grace', email_addresses: ['grace@compilers.dev'] }
  const { body } = await v2('POST', '/objects/people/records', { data: { values } })
  const id = body.data.id.record_id as string
  await page.goto(`/objects/people/${id}?tab=activities-phone_calls`)
  await expect(page.getByText('No phone calls yet')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'Log phone call' }).click()
  const dialog = page.getByRole('dialog', { name: 'Log phone call' })
  await pick(page, 'Direction', 'Outbound')
  await pick(page, 'Outcome', 'Left voicemail')
  await dialog.getByLabel('Note').fill('Asked about the compiler')
  await expect(dialog.getByText('Grace Hopper').first()).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Log phone call' }).click()
  const calls = page.getByRole('list', { name: 'Phone calls with Grace Hopper' }).getByRole('listitem')
  await expect(calls).toHaveCount(1)
  await expect(calls).toContainText('Outbound phone call · Left voicemail')
  await expect(calls).toContainText('Asked about the compiler')
  await expect(page.getByRole('tab', { name: 'Phone calls 1' })).toBeVisible()
  await expectAccessible(page)

  await calls.getByRole('button', { name: /^Delete the phone call of / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete phone call' }).click()
  await expect(page.getByText('No phone calls yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(calls).toHaveCount(1)

  await page.getByRole('tab', { name: 'Activity' }).click()
  const logged = page.getByRole('listitem').filter({ hasText: 'Phone call, logged by' })
  await expect(logged).toContainText(/: Asked about the compiler/)
  await expect(logged.getByRole('link', { name: 'Phone call' })).toHaveAttribute('href', /\/activities\/phone_calls\//)
  await expectAccessible(page)

  await logged.getByRole('link', { name: 'Phone call' }).click()
  await expect(page.getByRole('heading', { name: /: Asked about the compiler$/ })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
})

test('records have a tab for each activity that can refer to them', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/objects', { data: { api_slug: 'silent', singular_noun: 'Silent', plural_noun: 'Silents' } })
  const { body } = await v2('POST', '/objects/silent/records', { data: { values: {} } })
  const path = `/objects/silent/${body.data.id.record_id}`
  await page.goto(path)
  await expect(page.getByRole('tab', { name: 'Files' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Phone calls' })).toHaveCount(0)

  const names = { api_slug: 'inspections', singular_noun: 'Inspection', plural_noun: 'Inspections' }
  await v2('POST', '/activities', { data: { ...names, extends: 'activities' } })
  const reference = { is_required: false, is_unique: false, is_multiselect: false, description: null }
  const config = { record_reference: { allowed_objects: ['silent'] } }
  const attribute = { title: 'Place', api_slug: 'place', type: 'record-reference', config, ...reference }
  await v2('POST', '/activities/inspections/attributes', { data: attribute })
  await page.goto(path)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Log inspection' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Log inspection' }).click()
  await expect(page.getByRole('tab', { name: 'Inspections 1' })).toBeVisible()
  await expect(page.getByRole('list', { name: /^Inspections with/ }).getByRole('listitem')).toHaveCount(1)
})

test('a call is picked among the values of a person, and people are filtered by their calls', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/activities/phone_calls/records', { data: { values: { note: 'Loom prices', outcome: 'Busy' } } })
  const values = { name: 'Jacquard, Marie', email_addresses: ['marie@looms.dev'] }
  const { body } = await v2('POST', '/objects/people/records', { data: { values } })
  await page.goto(`/objects/people/${body.data.id.record_id}`)
  await page.getByRole('button', { name: /^Show \d+ empty$/ }).click()
  await page.getByRole('button', { name: 'Edit Phone calls' }).click()
  await page.getByRole('combobox', { name: 'Phone calls' }).fill('loom')
  await page.getByRole('option', { name: /: Loom prices$/ }).click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Phone calls 1' })).toBeVisible()

  await page.goto('/objects/people')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  for (const text of ['Phone calls →', 'Outcome']) {
    await page.getByRole('combobox', { name: 'Search attributes' }).fill(text)
    await page.getByRole('listbox', { name: 'Attributes' }).getByRole('option', { name: text }).first().click()
  }
  await page.getByRole('combobox', { name: 'Filter value' }).fill('busy')
  await page.getByRole('option', { name: 'Busy' }).click()
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toContainText('Marie Jacquard')
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(2)
})
