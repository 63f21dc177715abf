/**
 * The consent page groups permissions by area, separates reading from writing, and keeps its buttons in view. Errors for a client
 * that registered itself are shown before they are sent.
 */

import { expectAccessible } from '../../support/accessible'
import { expect, test } from '../../support/journey'

const REDIRECT = 'https://courier.example/callback'

test('a long consent names each level and keeps “Allow access” in view at 375 px', async ({ page }) => {
  const name = `Courier ${Math.random().toString(36).slice(2, 8)}`
  await page.goto('/settings/apps')
  await page.getByRole('button', { name: 'New app' }).click()
  const dialog = page.getByRole('dialog', { name: 'New app' })
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('Redirect URIs').fill(REDIRECT)
  for (const area of ['Records', 'List entries', 'Notes', 'Tasks', 'Comments', 'Meetings', 'Webhooks', 'Files']) {
    await dialog.getByRole('radiogroup', { name: area, exact: true }).getByLabel('Read and write').check()
  }
  const configuration = dialog.getByRole('radiogroup', { name: 'Object configuration' })
  await configuration.getByLabel('Read', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Create app' }).click()
  const created = page.getByRole('dialog', { name: 'App created' })
  await expect(created).toBeVisible()
  const clientId = (await created.locator('code').first().textContent()) ?? ''

  await page.setViewportSize({ width: 375, height: 600 })
  const request = { response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 'x' }
  await page.goto(`/authorize?${new URLSearchParams(request)}`)
  await expect(page.getByRole('heading', { name: `${name} wants access` })).toBeVisible()
  const allow = page.getByRole('button', { name: 'Allow access' })
  await expect(allow).toBeInViewport({ ratio: 1 })
  const items = page.getByRole('list', { name: 'Records and attributes' }).getByRole('listitem')
  await expect(items.filter({ hasText: 'See, create, change, merge and delete records' })).toBeVisible()
  await expect(items.getByText('See objects and their attributes', { exact: true })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Notes, tasks and files' }).getByRole('listitem')).toHaveCount(4)
  await expectAccessible(page)
  await page.getByText('Signed in as').scrollIntoViewIfNeeded()
  await expect(allow).toBeInViewport({ ratio: 1 })
})

test('an app that registered itself gets an error only when the person follows the link', async ({ page }) => {
  const name = `Librarian ${crypto.randomUUID().slice(0, 8)}`
  await page.goto('/settings/apps')
  const registered = await page.request.post('/oauth/register', {
    data: { client_name: name, redirect_uris: [REDIRECT] },
  })
  const { client_id } = await registered.json()
  const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' }
  const query = { response_type: 'code', client_id, redirect_uri: REDIRECT, state: 'x', ...challenge }
  const link = page.getByRole('link', { name: 'Go to courier.example' })

  await page.goto(`/authorize?${new URLSearchParams({ ...query, response_type: 'token' })}`)
  await expect(page.getByRole('heading', { name: "This app can't be connected" })).toBeVisible()
  await expect(page.getByText(`An app that calls itself “${name}” asked for access.`)).toBeVisible()
  await expect(link).toHaveAttribute('href', new RegExp(`^${REDIRECT}\\?error=unsupported_response_type&`))
  await expectAccessible(page)

  await page.goto(`/authorize?${new URLSearchParams(query)}`)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'You declined' })).toBeVisible()
  await expect(link).toHaveAttribute('href', new RegExp(`^${REDIRECT}\\?error=access_denied&`))
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Go to the console' }).click()
  await expect(page).toHaveURL(/\/objects/)
})
