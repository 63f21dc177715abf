/** The figures of a webhook: success and latency of the last 24 hours, record names of deliveries, names of test endpoints. */

import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('a webhook shows its success rate, its latency and the records of its deliveries', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const run = Math.random().toString(36).slice(2, 8)
  const object = { api_slug: `buoys_${run}`, singular_noun: `Buoy ${run}`, plural_noun: `Buoys ${run}` }
  const made = await v2('POST', '/objects', { data: object })
  const name = { title: 'Name', api_slug: 'name', type: 'text', description: null, config: {} }
  const rules = { is_required: false, is_unique: false, is_multiselect: false }
  await v2('POST', `/objects/buoys_${run}/attributes`, { data: { ...name, ...rules } })

  await page.goto('/webhooks/test-endpoints')
  await page.getByRole('button', { name: 'New test endpoint' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: /^Test endpoint \d+$/ })).toBeVisible()
  const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  const endpoint = (await v2('GET', `/test_endpoints/${page.url().split('/').at(-1)}`)).body.data
  const filter = { $and: [{ field: 'id.object_id', operator: 'equals', value: made.body.data.id.object_id }] }
  const subscriptions = [{ event_type: 'record.created', filter }]
  const created = await v2('POST', '/webhooks', { data: { target_url: endpoint.url, subscriptions } })
  expect(created.status).toBe(200)
  const id = created.body.data.id.webhook_id
  await v2('POST', `/objects/buoys_${run}/records`, { data: { values: { name: `Bell ${run}` } } })
  const read = async () => (await v2('GET', `/webhooks/${id}/statistics`)).body.data.attempts
  await expect.poll(read, { timeout: 30_000 }).toBe(1)

  await page.goto(`/webhooks/${id}`)
  const figures = page.getByRole('region', { name: 'Last 24 hours' })
  await expect(figures).toContainText('Success rate')
  await expect(figures).toContainText('100%')
  await expect(figures.getByRole('img', { name: /^Attempts per hour: 1 of 1 succeeded/ })).toBeVisible()
  const row = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
  await expect(row).toContainText(`Bell ${run}`)
  await expectAccessible(page)
  const link = page.getByRole('link', { name: `Test endpoint “${title}”` })
  await expect(link).toHaveAttribute('href', new RegExp(`/webhooks/test-endpoints/${endpoint.test_endpoint_id}$`))
  await page.goto('/webhooks')
  await expect(page.getByText(`Test endpoint “${title}”`)).toBeVisible()
})
