/** The pages of webhooks are accessible in both themes and do not overflow on narrow screens. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

/** Creates a webhook with a failed delivery to a test endpoint; returns the paths of their pages. */
async function pathsOf(page: Page): Promise<string[]> {
  const { v2 } = await consoleOf(page.request)
  const endpoint = (await v2('POST', '/test_endpoints', { data: { fail_first: 1 } })).body.data
  const subscriptions = [{ event_type: 'comment.created', filter: null }]
  const { id } = (await v2('POST', '/webhooks', { data: { target_url: endpoint.url, subscriptions } })).body.data
  const webhook = `/webhooks/${id.webhook_id}`
  await v2('POST', `${webhook}/test`, { data: { event_type: 'comment.created' } })
  const { delivery_id } = (await v2('POST', `${webhook}/test`, { data: { event_type: 'record.created' } })).body.data
  const requests = `/test_endpoints/${endpoint.test_endpoint_id}/requests`
  await expect.poll(async () => (await v2('GET', requests)).body.data.length).toBe(2)
  const [{ test_request_id }] = (await v2('GET', requests)).body.data
  const testEndpoint = `/webhooks/test-endpoints/${endpoint.test_endpoint_id}`
  const parts = ['request', 'response', 'signature', 'compare']
  return [
    '/webhooks',
    webhook,
    ...parts.map((part) => `${webhook}?delivery=${delivery_id}&part=${part}`),
    '/webhooks/test-endpoints',
    testEndpoint,
    `${testEndpoint}?request=${test_request_id}`,
    '/webhooks/00000000-0000-4000-8000-000000000000',
  ]
}

test('pages of webhooks are accessible', async ({ page }) => {
  test.slow() // axe is slow
  // The page of the test endpoint uses the same components for requests.
  const paths = (await pathsOf(page)).filter((path) => !/part=re|0000$/.test(path))
  for (const path of paths) {
    await page.goto(path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expectAccessible(page)
  }
})

test('dialogs of webhooks are accessible', async ({ page }) => {
  test.slow() // axe is slow
  const paths = await pathsOf(page)
  await page.goto('/webhooks?new=')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('record.updated').check()
  await dialog.getByRole('button', { name: 'Add a condition for record.updated' }).click()
  await dialog.getByText('JSON for the API').click()
  await expectAccessible(page)
  for (const item of ['Resend failed…', 'Verify signatures…']) {
    await page.goto(paths[1] ?? '')
    await page.getByRole('button', { name: 'Actions for this webhook' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await expect(dialog).toBeVisible()
    await expectAccessible(page)
  }
  await page.goto(paths.at(-3) ?? '')
  await page.getByRole('button', { name: 'Response settings' }).click()
  await expect(dialog).toBeVisible()
  await expectAccessible(page)
})

test('pages of webhooks do not overflow at 375 pixels', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 700 })
  const paths = await pathsOf(page)
  for (const path of [...paths, '/webhooks?new=']) {
    await page.goto(path)
    await expect(page.getByRole('heading').or(page.getByText('Not found')).first()).toBeVisible()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(375)
  }
  await page.goto(paths[2] ?? '')
  await expect(page.getByRole('list', { name: 'Deliveries' })).toBeHidden()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(page.getByRole('list', { name: 'Deliveries' })).toBeVisible()
})
