import type { Page } from 'playwright/test'
import { consoleOf, expect, test } from '../support/journey'

const EVENTS = 500

/** A test endpoint whose address is on the page, made with one click. */
async function makeEndpoint(page: Page): Promise<string> {
  await page.goto('/webhooks/test-endpoints')
  await page.getByRole('button', { name: 'New test endpoint' }).first().click()
  await expect(page.getByText('Nothing came yet')).toBeVisible()
  return (await page.locator('.copy code').textContent()) ?? ''
}

const deliveries = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')

test('a webhook is made, an event arrives live, fails, is explained, resent, checked, and edited', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const address = await makeEndpoint(page)
  await page.getByRole('button', { name: 'Answer' }).click()
  const answer = page.getByRole('dialog', { name: 'What it answers' })
  await answer.getByLabel('Fail the next').fill('1')
  await answer.getByLabel('Headers').fill('no header')
  await expect(answer.getByRole('button', { name: 'Save' })).toBeDisabled()
  await answer.getByLabel('Headers').fill('X-Answered-By: engine')
  await answer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('It fails 1 more, then answers 200.')).toBeVisible()

  await page.getByRole('button', { name: 'Actions for this test endpoint' }).click()
  await page.getByRole('menuitem', { name: 'New webhook to it' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await expect(dialog.getByLabel('Target URL')).toHaveValue(address)
  await dialog.getByLabel('list.created').check()
  await dialog.getByLabel('record.created').check()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'The webhook is there' })
  const secret = (await shown.locator('code').textContent()) ?? ''
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Nothing was sent yet')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()

  const member = (await v2('GET', '/self')).body.authorized_by_workspace_member_id
  const made = await v2('POST', '/lists', {
    data: {
      name: 'Told of',
      api_slug: 'told_of',
      parent_object: 'people',
      workspace_access: 'full-access',
      workspace_member_access: [],
    },
  })
  expect([made.status, member]).toEqual([200, expect.anything()])
  await expect(deliveries(page)).toHaveCount(1)
  await expect(deliveries(page).getByText('Failing')).toBeVisible()
  await deliveries(page).getByRole('link', { name: 'list.created' }).click()
  const panel = page.getByRole('region', { name: 'Delivery' })
  await expect(panel.getByRole('note')).toContainText('The receiver met an error of its own.')
  await expect(panel.getByText(/next attempt/)).toBeVisible()
  await expect(panel.getByText(made.body.data.id.list_id)).toBeVisible()

  await panel.getByRole('button', { name: 'Send now' }).click()
  await expect(panel.getByText('Delivered')).toBeVisible()
  await expect(panel.getByRole('list', { name: 'Attempts' }).getByRole('listitem')).toHaveCount(2)
  await panel.getByRole('link', { name: 'Response' }).click()
  await expect(panel.getByText('engine')).toBeVisible()
  await panel.getByRole('link', { name: 'Attempt 1' }).click()
  await expect(panel.getByText(/500.*after/)).toBeVisible()

  await panel.getByRole('link', { name: 'Signature' }).click()
  await panel.getByLabel('Secret of the webhook').fill('something else')
  await expect(panel.getByText('They differ')).toBeVisible()
  await panel.getByLabel('Secret of the webhook').fill(secret)
  await expect(panel.getByText('They are the same')).toBeVisible()
  await expect(panel.getByText('It is right as well.')).toBeVisible()

  await panel.getByRole('button', { name: 'Edit and send as a test' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit and send as a test' })
  await edit.getByLabel('Event', { exact: true }).fill('{"id": {"list_id": "made-up"}')
  await expect(edit.getByText('This is not JSON')).toBeVisible()
  await edit.getByLabel('Event', { exact: true }).fill('{"id": {"list_id": "made-up"}}')
  await edit.getByRole('button', { name: 'Send test' }).click()
  await expect(panel.getByText('Test', { exact: true })).toBeVisible()
  await expect(panel.getByText('Delivered')).toBeVisible()
  await panel.getByRole('link', { name: 'Request' }).click()
  await expect(panel.getByText('made-up')).toBeVisible()
  await expect(deliveries(page)).toHaveCount(2)
  await page.goBack()
  await expect(panel.getByText(made.body.data.id.list_id)).toBeVisible()
})
