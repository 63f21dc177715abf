/** The console in German: the language of the browser, and the language of the account in another browser. */

import { ADMIN, expect, signIn } from '../../support/journey'
import { testOnOwnService } from '../../support/own-service'

const test = testOnOwnService()
test.use({ locale: 'de-DE' })

test('a browser in German begins in German; the account page changes the language', async ({
  page,
  browser,
  baseURL,
}) => {
  await page.goto('/sign-in')
  await page.getByLabel('E-Mail-Adresse').fill(ADMIN.email)
  await page.getByLabel('Passwort').fill('another password')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await expect(page.getByText('E-Mail-Adresse oder Passwort ist falsch.')).toBeVisible()
  await page.getByLabel('Passwort').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Meine Aufgaben' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')

  // The first sign-in set the language of the account, which another browser follows.
  const other = await browser.newPage({ locale: 'en-US', ...(baseURL && { baseURL }) })
  await other.goto('/sign-in')
  await signIn(other, ADMIN.email, ADMIN.password)
  await expect(other.getByRole('heading', { name: 'Meine Aufgaben' })).toBeVisible()

  await other.goto('/settings/account')
  await other.getByRole('radio', { name: 'English' }).check()
  await expect(other.getByRole('heading', { name: 'Language' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'My tasks' })).toBeVisible()
  await other.close()
})
