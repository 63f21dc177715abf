/** Webhooks with values, pending deliveries, and forwarding to a local receiver. */

import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

/** The deliveries of the record's events. Other journeys change records at the same time. */
const deliveriesOf = (page: Page, record: string) =>
  page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').filter({ hasText: record })

test('a webhook includes values before and after, and a delivery to a slow receiver is shown as pending', async ({
  page,
}) => {
  const { v2 } = await consoleOf(page.request)
  const endpoint = (await v2('POST', '/test_endpoints', { data: { name: 'Slow one', delay_ms: 2000 } })).body.data
  const values = { name: 'Told Of', job_title: 'Analyst' }
  const person = (await v2('POST', '/objects/people/records', { data: { values } })).body.data.id.record_id
  await page.goto(`/webhooks?new=${encodeURIComponent(endpoint.url)}`)
  const dialog = page.getByRole('dialog', { name: 'New webhook' })
  await dialog.getByRole('checkbox', { name: 'record.created', exact: true }).check()
  await dialog.getByLabel('record.updated').check()
  await expect(dialog.getByLabel('Include values before and after')).toHaveCount(1)
  await dialog.getByLabel('Include values before and after').check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('dialog', { name: 'Webhook created' }).getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('record.created and record.updated, with values')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()

  await v2('PATCH', `/objects/people/records/${person}`, { data: { values: { job_title: 'Countess' } } })
  await expect(deliveriesOf(page, 'Told Of').getByText('Pending')).toBeVisible()
  await expect(deliveriesOf(page, 'Told Of').getByText('Delivered')).toBeVisible()
  await deliveriesOf(page, 'Told Of').getByRole('link', { name: 'record.updated' }).click()
  const body = page.getByRole('region', { name: 'Delivery' }).getByRole('figure', { name: 'Body' })
  await expect(body).toContainText(/"new_values"[^]*"Countess"[^]*"previous_values"[^]*"Analyst"/)

  await page.getByRole('button', { name: 'Actions for this webhook' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit webhook' })
  await edit.getByLabel('Include values before and after').uncheck()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('record.created and record.updated', { exact: true })).toBeVisible()
})

test('the command on the page of a test endpoint forwards its requests', async ({ page }) => {
  const { v2, settings } = await consoleOf(page.request)
  const endpoint = (await v2('POST', '/test_endpoints', { data: {} })).body.data
  const key = (await settings('POST', '/keys', { name: 'Forwarding', scopes: ['webhook:read'] })).body.data
  const forwarded: string[] = []
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      forwarded.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`)
      return new Response('taken')
    },
  })

  await page.goto(`/webhooks/test-endpoints/${endpoint.test_endpoint_id}`)
  await page.getByRole('button', { name: 'Actions for this test endpoint' }).click()
  await page.getByRole('menuitem', { name: 'Forward to your machine…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Forward to your machine' })
  await dialog.getByLabel('Your receiver').fill('localhost:3000')
  await expect(dialog.getByText('Enter a URL that starts with http:// or https://')).toBeVisible()
  await dialog.getByLabel('Your receiver').fill(`http://127.0.0.1:${receiver.port}/hooks`)
  await expectAccessible(page)
  const shown = await dialog.getByRole('figure', { name: 'Command' }).locator('pre').textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const command = (shown ?? '').replace("'<key>'", key.token)
  const cwd = join(import.meta.dirname, '../../..')
  // The command runs without the settings of the service, as on another machine.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RELATA_')))
  const running = Bun.spawn(['sh', '-c', `exec ${command}`], { cwd, env, stdout: 'pipe' })
  let printed = ''
  const reading = running.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        printed += text
      },
    }),
  )
  await expect.poll(() => printed).toContain(`What comes to ${endpoint.url}`)
  await page.request.post(`${new URL(endpoint.url).pathname}/deep`, { data: 'hello' })
  await expect.poll(() => forwarded).toEqual(['POST /hooks/deep hello'])
  await expect.poll(() => printed).toMatch(/POST \/deep → 200 OK/)
  running.kill()
  await reading
  await running.exited
  await receiver.stop(true)
  await settings('DELETE', `/keys/${key.id}`)
})
