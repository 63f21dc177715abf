/** Phone calls on the page of a person. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('a call is logged on the page of a person, shown among its values, and deleted', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const values = { name: 'Hopper, Grace', email_addresses: ['grace@compilers.dev'] }
  const { body } = await v2('POST', '/objects/people/records', { data: { values } })
  const id = body.data.id.record_id as string
  await page.goto(`/objects/people/${id}?tab=calls`)
  await expect(page.getByText('No calls yet')).toBeVisible()
  await page.getByRole('button', { name: 'Log call' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Log call' })
  await expect(dialog.getByLabel('Direction')).toHaveValue('Outbound')
  await dialog.getByLabel('Outcome').selectOption('Left voicemail')
  await dialog.getByLabel('Note').fill('Asked about the compiler')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Log call' }).click()
  const calls = page.getByRole('list', { name: 'Calls with Grace Hopper' }).getByRole('listitem')
  await expect(calls).toHaveCount(1)
  await expect(calls.first()).toContainText('Outbound call · Left voicemail')
  await expect(calls.first()).toContainText('Asked about the compiler')
  await expectAccessible(page)

  await page.getByRole('tab', { name: 'Overview' }).click()
  const related = page.getByRole('definition').filter({ hasText: 'Asked about the compiler' })
  await expect(related.first()).toBeVisible()
  await expect(related.getByRole('link')).toHaveCount(0)

  await page.getByRole('tab', { name: 'Calls' }).click()
  await calls
    .first()
    .getByRole('button', { name: /^Delete the call of / })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete call' }).click()
  await expect(page.getByText('No calls yet')).toBeVisible()
})

test('only people and companies have calls', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name: 'Callers' } } })
  await page.goto(`/objects/companies/${body.data.id.record_id}`)
  await expect(page.getByRole('tab', { name: 'Calls' })).toBeVisible()
  await v2('POST', '/objects', { data: { api_slug: 'silent', singular_noun: 'Silent', plural_noun: 'Silents' } })
  const other = await v2('POST', '/objects/silent/records', { data: { values: {} } })
  await page.goto(`/objects/silent/${other.body.data.id.record_id}`)
  await expect(page.getByRole('tab', { name: 'Files' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Calls' })).toHaveCount(0)
})
