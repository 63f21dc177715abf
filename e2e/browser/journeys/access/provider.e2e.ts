/** Sign-in at a provider, on a separate service that may reach the provider at a private address. */

import type { Page } from 'playwright/test'
import { CLIENT, startProvider } from '../../../support/openid-provider'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, expect, signIn, SIGNED_OUT, test } from '../../support/journey'
import { startOwnService } from '../../support/own-service'

/** Fills in the forms of the provider for the name and the consent. */
async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Acme' }).click()
  await page.locator('[name=login]').fill(login)
  await page.locator('[name=password]').fill('any')
  await page.getByRole('button').first().click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an admin sets up a provider and requires it; members sign in there, others see why they cannot', async ({
  browser,
}) => {
  const service = await startOwnService({ RELATA_ALLOW_PRIVATE_TARGETS: '1' })
  // The redirect URI has the name of the service, and cookies belong to a name.
  const baseURL = service.url.replace('127.0.0.1', 'localhost')
  const context = await browser.newContext({ baseURL, storageState: SIGNED_OUT })
  const page = await context.newPage()
  await page.goto('/sign-in')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page).toHaveURL(/\/home$/)
  await page.goto('/settings/sign-in')
  await page.getByRole('button', { name: 'Set up provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up provider' })
  const redirectUri = (await dialog.getByText(/\/sign-in\/callback\//).textContent()) ?? ''
  const users = {
    ada: { email: ADMIN.email, email_verified: true },
    eve: { email: 'eve@example.com', email_verified: true },
  }
  const provider = await startProvider(users, () => [redirectUri])
  await dialog.getByLabel('Name').fill('Acme')
  await dialog.getByLabel('Issuer').fill('http://127.0.0.1:1')
  await dialog.getByLabel('Client ID').fill(CLIENT.id)
  await dialog.getByLabel('Client secret').fill(CLIENT.secret)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('could not be reached')).toBeVisible()
  await dialog.getByLabel('Issuer').fill(provider.issuer)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('list', { name: 'Provider' })).toContainText(provider.issuer)
  await page.getByLabel('Members sign in only through the provider').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Require provider' }).click()
  await expect(page.getByLabel('Members sign in only through the provider')).toBeChecked()
  await expectAccessible(page)

  await context.clearCookies()
  await page.goto('/sign-in')
  await signInAtProvider(page, 'eve')
  await expect(page.getByRole('heading', { name: "You're not a member yet" })).toBeVisible()
  await expectAccessible(page)

  await context.clearCookies()
  await page.goto('/sign-in?next=/settings/members')
  await expectAccessible(page)
  await signInAtProvider(page, 'ada')
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible()
  await expect(page).toHaveURL(/\/settings\/members$/)
  await page.goto('/settings/account')
  await expect(page.getByText('You signed in through the provider')).toBeVisible()

  await page.getByRole('button', { name: 'Admin' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await expect(page).toHaveURL(`${baseURL}/sign-in`)
  await page.getByRole('button', { name: 'Continue with Acme' }).click()
  await expect(page.locator('[name=login]')).toBeVisible()

  await context.close()
  await provider.close()
  expect(await service.stop()).toBe(0)
})
