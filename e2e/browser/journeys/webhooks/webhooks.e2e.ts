import type { Page } from 'playwright/test'
import { consoleOf, expect, test } from '../../support/journey'

const BURST = 500

/** Creates a test endpoint with one click, and returns its URL from the page. */
async function makeEndpoint(page: Page): Promise<string> {
  await page.goto('/webhooks/test-endpoints')
  await page.getByRole('button', { name: 'New test endpoint' }).first().click()
  await expect(page.getByText('Waiting for requests')).toBeVisible()
  return (await page.locator('.copy code').textContent()) ?? ''
}

const deliveries = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')

/** Returns the height of the list, which shows the number of all rows. */
const heightOf = (page: Page, list: string): Promise<number> =>
  page
    .getByRole('list', { name: list })
    .evaluate((ul) => ul.clientHeight / ((ul.firstElementChild?.clientHeight ?? 0) + 1))

test('a webhook is created; a delivery arrives live, fails, is explained and resent; the webhook is edited', async ({
  page,
}) => {
  const { v2 } = await consoleOf(page.request)
  const address = await makeEndpoint(page)
  const endpoint = `/test_endpoints/${page.url().split('/').at(-1)}`
  await page.getByRole('button', { name: 'Response settings' }).click()
  const answer = page.getByRole('dialog', { name: 'Response settings' })
  await answer.getByLabel('Failures first').fill('9') // the first attempts after it run during the test
  await answer.getByLabel('Headers').fill('no header')
  await expect(answer.getByRole('button', { name: 'Save' })).toBeDisabled()
  await answer.getByLabel('Headers').fill('X-Test-Answered-By: engine')
  await answer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Response: fails 9 more, then returns 200')).toBeVisible()

  await page.getByRole('button', { name: 'Actions for this test endpoint' }).click()
  await page.getByRole('menuitem', { name: 'Create webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await expect(dialog.getByLabel('Target URL')).toHaveValue(address)
  await dialog.getByLabel('Name').fill('Deleted lists')
  await dialog.getByRole('button', { name: 'Select all' }).click()
  await expect(dialog.getByRole('checkbox', { name: 'task.created' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Clear all' }).click()
  await dialog.getByLabel('list.deleted').check() // no other journey deletes a list
  await dialog.getByLabel('call-recording.created').check()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  const shown = page.getByRole('dialog', { name: 'Webhook created' })
  const secret = (await shown.locator('code').textContent()) ?? ''
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('No deliveries yet')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()

  const made = await v2('POST', '/lists', {
    data: {
      name: 'Prospects',
      api_slug: 'deleted_prospects',
      parent_object: 'people',
      workspace_access: 'full-access',
      workspace_member_access: [],
    },
  })
  expect(made.status).toBe(200)
  expect((await v2('DELETE', '/lists/deleted_prospects')).status).toBe(200)
  await expect(deliveries(page)).toHaveCount(1)
  await expect(deliveries(page).getByText('Retrying')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Last 24 hours' })).toBeVisible()
  await deliveries(page).getByRole('link', { name: 'list.deleted' }).click()
  const panel = page.getByRole('region', { name: 'Delivery' })
  await expect(panel.getByRole('note')).toContainText('The receiver returned a server error.')
  await expect(panel.getByText(/next attempt/i)).toBeVisible()
  await expect(panel.getByText(made.body.data.id.list_id)).toBeVisible()

  await expect(panel.getByRole('button', { name: 'Send now' })).toBeVisible()
  expect((await v2('PATCH', endpoint, { data: { fail_first: 0 } })).status).toBe(200)
  await panel.getByRole('button', { name: /Send now|Resend/ }).click() // unless the delivery was just sent
  await expect(panel.getByText('Delivered').first()).toBeVisible()
  const secondAttempt = panel.getByRole('list', { name: 'Attempts' }).getByRole('listitem').nth(1)
  await expect(secondAttempt).toBeVisible()
  await panel.getByRole('link', { name: 'Response' }).click()
  await expect(panel.getByText('engine')).toBeVisible()
  await panel.getByRole('link', { name: 'Attempt 1' }).click()
  await expect(panel.getByText(/500.*after/)).toBeVisible()

  await panel.getByRole('link', { name: 'Signature' }).click()
  await panel.getByLabel('Webhook secret').fill('something else')
  await expect(panel.getByText("The signatures don't match")).toBeVisible()
  await panel.getByLabel('Webhook secret').fill(secret)
  await expect(panel.getByText('The signatures match')).toBeVisible()
  await expect(panel.getByText('This signature matches, too.')).toBeVisible()

  await panel.getByRole('button', { name: 'Edit and send as test' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit and send as test' })
  await edit.getByLabel('Event', { exact: true }).fill('{"id": {"list_id": "made-up"}')
  await expect(edit.getByText('Invalid JSON')).toBeVisible()
  await edit.getByLabel('Event', { exact: true }).fill('{"id": {"list_id": "made-up"}}')
  await edit.getByRole('button', { name: 'Send test' }).click()
  await expect(panel.getByText('Test', { exact: true })).toBeVisible()
  await expect(panel.getByText('Delivered').first()).toBeVisible()
  await panel.getByRole('link', { name: 'Request' }).click()
  await expect(panel.getByText('made-up')).toBeVisible()
  await expect(deliveries(page)).toHaveCount(2)
  await page.goBack()
  await page.goBack()
  await expect(panel.getByText('Test', { exact: true })).toBeHidden()
  await expect(secondAttempt).toBeVisible()
  await page.goto(`/webhooks${endpoint.replace('test_endpoints', 'test-endpoints')}`)
  const requests = page.getByRole('list', { name: 'Requests' })
  await expect(requests.getByRole('link', { name: 'list.deleted' }).first()).toBeVisible()

  await page.goto('/webhooks')
  const row = page.getByRole('listitem').filter({ hasText: 'Deleted lists' })
  await expect(row).toContainText(/\d+(\.\d)?% of \d+ succeeded in 24 hours/)
  await row.getByRole('button', { name: 'Actions for Deleted lists' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await expect(row).toContainText('Paused')
  await row.getByRole('button', { name: 'Actions for Deleted lists' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('dialog', { name: 'Edit webhook' }).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Webhook updated')).toBeVisible()
  await expect(row).toContainText('No events are sent until you resume it.')
  await row.getByRole('button', { name: 'Actions for Deleted lists' }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await expect(row).toContainText('Active')
})

test('many deliveries arrive and are filtered, compared, selected and replayed', async ({ page }) => {
  test.slow() // the rate per target is limited
  const { create } = await consoleOf(page.request)
  const { url } = await create('/test_endpoints', {})
  // The other journeys create records in the same workspace. Test events need no subscription.
  const subscriptions = [{ event_type: 'call-recording.created', filter: null }]
  const { id } = await create('/webhooks', { target_url: url, subscriptions })
  const path = `/webhooks/${id.webhook_id}`
  const send = (event: object) => create(`${path}/test`, { event_type: 'record.created', event })

  await page.goto(path)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  // A first page that is read during the burst has 50 of its deliveries, and the list offers the others as older ones.
  await expect(page.getByText('No deliveries yet')).toBeVisible()
  await Promise.all(Array.from({ length: 60 }, (_, at) => send({ id: { record_id: crypto.randomUUID() }, at })))
  await expect.poll(() => heightOf(page, 'Deliveries')).toBe(60)
  expect(await deliveries(page).count()).toBeLessThan(40)
  await deliveries(page).first().getByRole('link').click()
  const panel = page.getByRole('region', { name: 'Delivery' })
  await expect(panel.getByText('"at":')).toBeVisible()
  await panel.getByRole('button', { name: 'Close' }).click()

  const record_id = crypto.randomUUID()
  await send({ id: { record_id }, color: 'red' })
  await send({ id: { record_id }, color: 'blue' })
  await page.getByLabel('Search in bodies').fill('"color"')
  await expect(deliveries(page)).toHaveCount(2)
  await expect(page).toHaveURL(/search=/)
  await send({ id: { record_id }, color: 'green' })
  await expect(deliveries(page)).toHaveCount(3)
  await deliveries(page).first().getByRole('link').click()
  await panel.getByRole('link', { name: 'Compare' }).click()
  const lines = panel.getByRole('list', { name: 'Differences' })
  await expect(lines.getByText('"color": "blue"')).toBeVisible()
  await expect(lines.getByText('"color": "green"')).toBeVisible()
  await panel.getByRole('link', { name: 'Deliveries for this record' }).click()
  await expect(page).toHaveURL(new RegExp(`\\?record=${record_id}$`))
  await expect(deliveries(page)).toHaveCount(3)
  await page.getByLabel('Outcome').selectOption('failed')
  await expect(page.getByText('No matching deliveries')).toBeVisible()
  await page.getByLabel('Outcome').selectOption('succeeded')
  await expect(deliveries(page).getByText('Delivered')).toHaveCount(3)

  await page.getByRole('checkbox').first().check()
  await page.getByRole('checkbox').last().check()
  await page.getByRole('toolbar').getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('2 deliveries resent')).toBeVisible()
  await expect(deliveries(page).getByText('2 attempts')).toHaveCount(2)

  await page.getByRole('button', { name: 'Actions for this webhook' }).click()
  await page.getByRole('menuitem', { name: 'Resend failed…' }).click()
  const replay = page.getByRole('dialog', { name: 'Resend deliveries' })
  await replay.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('No deliveries to resend in that period')).toBeVisible()

  await deliveries(page).first().getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('heading', { name: 'record.created' })).toBeVisible()
  await page.keyboard.press('k')
  await expect(deliveries(page).first().getByRole('link')).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
})

test('a webhook is filtered, refused, changed, gets a new secret, and is deleted; those of keys are read-only', async ({
  page,
}) => {
  const { v2, settings } = await consoleOf(page.request)
  const objects = (await v2('GET', '/objects')).body.data
  const people: string = objects.find(({ api_slug }: { api_slug: string }) => api_slug === 'people').id.object_id
  await page.goto('/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByLabel('Target URL').fill('http://example.com/hooks')
  await dialog.getByLabel('record.updated').check()
  await dialog.getByRole('button', { name: 'Add a condition for record.updated' }).click()
  await expect(dialog.getByRole('button', { name: 'Create webhook' })).toBeDisabled()
  await dialog.getByLabel('Value', { exact: true }).selectOption({ label: 'People' })
  await dialog.getByRole('button', { name: 'Add a condition for record.updated' }).click()
  const second = dialog.getByRole('group', { name: 'Condition for record.updated' }).nth(1)
  await second.getByLabel('Field').selectOption({ label: 'Attribute' })
  await second.getByLabel('Value').selectOption({ label: 'People › Job title' })
  await dialog.getByText('JSON for the API').click()
  await expect(dialog.getByRole('figure', { name: 'Subscriptions' })).toContainText(people)
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await expect(dialog.getByText('The target must begin with https://.')).toBeVisible()
  await dialog.getByRole('radio', { name: 'Test endpoint' }).check()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('dialog', { name: 'Webhook created' }).getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('record.updated, filtered')).toBeVisible()
  const id = page.url().split('/').at(-1) ?? ''
  const filter = (await v2('GET', `/webhooks/${id}`)).body.data.subscriptions[0].filter
  expect(filter.$and[0]).toEqual({ field: 'id.object_id', operator: 'equals', value: people })
  expect(filter.$and[1].field).toBe('id.attribute_id')

  const act = async (name: string) => {
    await page.getByRole('button', { name: 'Actions for this webhook' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Edit')
  const edit = page.getByRole('dialog', { name: 'Edit webhook' })
  await edit.getByLabel('task.created').check()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('record.updated and task.created, filtered')).toBeVisible()
  await act('Rotate secret')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  await expect(page.getByRole('dialog', { name: 'Secret rotated' }).locator('code')).toHaveText(/^[0-9a-f]{64}$/)
  await page.getByRole('dialog', { name: 'Secret rotated' }).getByRole('button', { name: 'Done' }).click()
  await act('Verify signatures…')
  await page.getByRole('dialog').getByLabel('Language').selectOption('Python')
  await expect(page.getByRole('figure', { name: 'Code in Python' })).toContainText('def is_from_relata')
  await page.keyboard.press('Escape')
  await act('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
  await expect(page).toHaveURL(/\/webhooks$/)
  expect((await v2('GET', `/webhooks/${id}`)).status).toBe(404)

  const made = (await settings('POST', '/keys', { name: 'Courier', scopes: ['webhook:read-write'] })).body.data
  const data = {
    target_url: 'https://courier.invalid/hooks',
    subscriptions: [{ event_type: 'task.created', filter: null }],
  }
  const headers = { Authorization: `Bearer ${made.token}` }
  const foreign = await page.request.post('/v2/webhooks', { headers, data: { data } })
  expect(foreign.status()).toBe(200)
  await page.goto('/webhooks')
  const row = page.getByRole('listitem').filter({ hasText: 'the API key “Courier”' })
  await expect(row.getByText('Read only')).toBeVisible()
  await row.getByRole('link').click()
  await page.getByRole('button', { name: 'Actions for this webhook' }).click()
  await expect(page.getByRole('menuitem', { name: 'Resend failed…' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await settings('DELETE', `/keys/${made.id}`)
})

test('a test endpoint shows requests from any sender, also many at once, is extended, and is deleted', async ({
  page,
}) => {
  const address = await makeEndpoint(page)
  const here = new URL(address)
  const answer = await page.request.put(`${here.pathname}/some/path?a=1`, { data: { hello: 'engine' } })
  expect(answer.status()).toBe(200)
  const requests = page.getByRole('list', { name: 'Requests' }).getByRole('listitem')
  await expect(requests).toHaveCount(1)
  await expect(requests.getByText('Not signed')).toBeVisible()
  await requests.getByRole('link', { name: 'PUT /some/path?a=1' }).click()
  const panel = page.getByRole('region', { name: 'Request' })
  await expect(panel.getByText('"hello": "engine"')).toBeVisible()
  await panel.getByLabel('Raw').check()
  await expect(panel.getByText('{"hello":"engine"}')).toBeVisible()
  await panel.getByRole('button', { name: 'Close' }).click()

  // With many requests, the page renders few rows, keeps the scroll position and stays responsive.
  const { pathname } = here
  const list = page.getByRole('list', { name: 'Requests' }).locator('..')
  for (let sent = 0; sent < BURST; sent += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => page.request.post(`${pathname}/${sent + at}`)))
    if (sent !== 100) continue
    await expect.poll(() => heightOf(page, 'Requests')).toBe(sent + 50 + 1)
    await list.evaluate((element) => element.scrollTo(0, 2000))
  }
  await expect.poll(() => heightOf(page, 'Requests')).toBe(BURST + 1)
  expect(await requests.count()).toBeLessThan(50)
  expect(await list.evaluate((element) => element.scrollTop)).toBeGreaterThan(10_000)
  await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await requests.getByRole('link', { name: 'PUT /some/path?a=1' }).click()
  await expect(panel.getByText('"hello": "engine"')).toBeVisible()

  await page.getByRole('button', { name: 'Actions for this test endpoint' }).click()
  await page.getByRole('menuitem', { name: 'Extend for 7 days' }).click()
  await expect(page.getByText('Extended for 7 days')).toBeVisible()
  await page.getByRole('button', { name: 'Actions for this test endpoint' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete test endpoint' }).click()
  await expect(page).toHaveURL(/\/webhooks\/test-endpoints$/)
  expect((await page.request.get(here.pathname)).status()).toBe(404)
})
