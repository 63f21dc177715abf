import { createHash, randomBytes } from 'node:crypto'
import type { Page } from 'playwright/test'
import { consoleOf, expect, serviceUrl, test, withToken } from '../../support/journey'

const REDIRECT = 'https://mailroom.example/callback'

/**
 * The URL with which the browser leaves for the app, whose host does not exist. `page.route` would not see the request, because the
 * response to a form redirects to it.
 */
async function requestOf(page: Page, redirect: string): Promise<URL> {
  const request = await page.waitForRequest((request) => request.url().startsWith(`${redirect}?`))
  return new URL(request.url())
}

const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

test('an app is created, gets a working token by consent, and loses it by revocation', async ({ page }) => {
  await page.goto('/settings/apps')
  await page.getByRole('button', { name: 'New app' }).click()
  const dialog = page.getByRole('dialog', { name: 'New app' })
  await dialog.getByLabel('Name', { exact: true }).fill('Mailroom')
  await dialog.getByLabel('Developer').fill('Mailroom Inc.')
  await dialog.getByLabel('Redirect URIs').fill(REDIRECT)
  await dialog.getByRole('radiogroup', { name: 'Object configuration' }).getByLabel('Read', { exact: true }).check()
  await dialog.getByRole('radiogroup', { name: 'Records', exact: true }).getByLabel('Read and write').check()
  await dialog.getByRole('button', { name: 'Create app' }).click()
  const shown = page.getByRole('dialog', { name: 'App created' })
  await expect(shown).toBeVisible()
  const [clientId = '', clientSecret = ''] = await shown.locator('code').allTextContents()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page).toHaveURL(`/settings/apps/${clientId}`)
  await expect(page.getByText(clientSecret)).toHaveCount(0)

  const asked = { response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 'where I was' }
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  await page.goto(`/authorize?${new URLSearchParams({ ...asked, ...pkce })}`)
  await expect(page.getByRole('heading', { name: 'Mailroom wants access' })).toBeVisible()
  await expect(page.getByText('mailroom.example')).toBeVisible()
  const permission = page.getByRole('listitem').filter({ hasText: 'See, create, change, merge and delete records' })
  await expect(permission.getByText('Sensitive permission')).toBeVisible()
  const redirected = requestOf(page, REDIRECT)
  await page.getByRole('button', { name: 'Allow access' }).click()
  const { searchParams } = await redirected
  expect(searchParams.get('state')).toBe('where I was')

  const exchange = {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: REDIRECT,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: verifier,
  }
  const answer = await fetch(`${serviceUrl()}/oauth/token`, { method: 'POST', body: new URLSearchParams(exchange) })
  const { access_token } = await answer.json()
  expect((await withToken(access_token, '/v2/objects')).status).toBe(200)
  expect((await withToken(access_token, '/v2/workspace_members')).status).toBe(403)

  // The browser's page about the missing host would interrupt the next one.
  await page.waitForURL(/^chrome-error:/)
  await page.goto('/settings/apps')
  const grants = page.getByRole('list', { name: 'Apps with access' })
  await grants.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
  await expect(page.getByText('Access revoked for Mailroom')).toBeVisible()
  expect((await withToken(access_token, '/v2/objects')).status).toBe(401)
})

test('consent is denied, and secrets are rotated', async ({ page }) => {
  await page.goto('/settings/apps')
  await page.getByRole('button', { name: 'New app' }).click()
  const dialog = page.getByRole('dialog', { name: 'New app' })
  await dialog.getByLabel('Name', { exact: true }).fill('Courier')
  await dialog.getByLabel('Redirect URIs').fill('http://courier.example/callback')
  await dialog.getByRole('button', { name: 'Read all', exact: true }).click()
  await dialog.getByRole('button', { name: 'Create app' }).click()
  await expect(dialog.locator('[aria-invalid]')).toBeVisible()
  await dialog.getByLabel('Redirect URIs').fill('https://courier.example/callback')
  await dialog.getByRole('button', { name: 'Create app' }).click()
  await page.getByRole('dialog', { name: 'App created' }).getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  const secrets = page.getByRole('list', { name: 'Secrets' })
  await expect(secrets.getByRole('listitem')).toHaveCount(2)
  await secrets.getByRole('button', { name: 'Delete' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete secret' }).click()
  await expect(secrets.getByRole('listitem')).toHaveCount(1)

  const clientId = page.url().split('/').at(-1) ?? ''
  const redirect = 'https://courier.example/callback'
  const asked = { response_type: 'code', client_id: clientId, redirect_uri: redirect }
  await page.goto(`/authorize?${new URLSearchParams(asked)}`)
  const redirected = requestOf(page, redirect)
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect((await redirected).searchParams.get('error')).toBe('access_denied')
})

test('an app asks to act for one person, who revokes it on the page Account', async ({ page }) => {
  const { workspaceId, settings } = await consoleOf(page.request)
  const scopes = ['record_permission:read', 'object_configuration:read', 'user_management:read']
  const { body: app } = await settings('POST', '/apps', {
    name: 'Planner',
    redirect_uris: ['https://planner.example/callback'],
    scopes,
  })
  const { client_id, client_secret } = app.data
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri: 'https://planner.example/callback',
    token_level: 'user',
  }
  await page.goto(`/authorize?${new URLSearchParams(asked)}`)
  await expect(page.getByRole('heading', { name: /^Planner wants to act for you in / })).toBeVisible()
  await expect(page.getByText('what it changes is shown as changed by you')).toBeVisible()

  // The browser does not follow the redirect, which leads to a page of the app.
  const consentToken = await page.locator('[name=consent_token]').inputValue()
  const answer = await page.request.post('/authorize', {
    form: { consent_token: consentToken, workspace_id: workspaceId, decision: 'allow' },
    headers: { Origin: serviceUrl() },
    maxRedirects: 0,
  })
  const code = new URL(answer.headers().location ?? '').searchParams.get('code') ?? ''
  const exchange = { grant_type: 'authorization_code', code, client_id, client_secret }
  const tokens = await fetch(`${serviceUrl()}/oauth/token`, { method: 'POST', body: new URLSearchParams(exchange) })
  const { access_token } = await tokens.json()
  expect((await withToken(access_token, '/v2/self')).body.token_level).toBe('user')
  expect((await withToken(access_token, '/v2/webhooks')).status).toBe(403)

  await page.goto('/settings/account')
  const grants = page.getByRole('list', { name: 'Apps that act for you' })
  await expect(grants.getByText('Planner')).toBeVisible()
  await grants.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
  await expect(page.getByText('Access revoked for Planner')).toBeVisible()
  expect((await withToken(access_token, '/v2/objects')).status).toBe(401)
})
