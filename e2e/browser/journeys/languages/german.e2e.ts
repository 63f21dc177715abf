/** The console in German: the language of the browser, and the language of the account in another browser. */

import { ADMIN, consoleOf, expect, signIn } from '../../support/journey'
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

  // Standard names are translated, and found by the English word as well; a name of the workspace is shown to all.
  const { v2 } = await consoleOf(page.request)
  await v2('POST', '/objects/people/records', { data: { values: { name: 'Hopper, Grace' } } })
  const navigation = page.getByRole('navigation', { name: 'Workspace' })
  await expect(navigation.getByRole('link', { name: 'Unternehmen' })).toBeVisible()
  await navigation.getByRole('link', { name: 'Personen' }).click()
  await expect(page.getByRole('columnheader', { name: 'E-Mail-Adressen' })).toBeVisible()
  await page.getByRole('button', { name: 'Suchen' }).click()
  await page.keyboard.type('compan')
  await expect(page.getByRole('option', { name: 'Unternehmen' }).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await page.goto('/settings/objects/deals')
  await page.getByRole('button', { name: 'Umbenennen' }).click()
  await page.getByLabel('Name im Plural').fill('Aufträge')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Aufträge' })).toBeVisible()
  expect((await v2('GET', '/objects/deals')).body.data).toMatchObject({
    singular_noun: 'Deal',
    plural_noun: 'Aufträge',
  })
  expect((await v2('GET', '/objects/people')).body.data.plural_noun).toBe('People')
  await page.goto('/home')

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
