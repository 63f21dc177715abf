/** The first start of a new service. The other journeys use its workspace and admin. */

import { ADMIN, expect, stateFile, testSignedOut as test } from './support/journey'

test('a new service asks for its first workspace and admin', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Welcome to Relata' })).toBeVisible()
  await page.getByLabel('Workspace').fill(ADMIN.workspace)
  await page.getByLabel('First name').fill(ADMIN.firstName)
  await page.getByLabel('Last name').fill(ADMIN.lastName)
  await page.getByLabel('Email address').fill(ADMIN.email)
  await page.getByLabel('Password').fill('password123')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await expect(page.locator('[aria-invalid]')).toBeVisible()

  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await expect(page.getByRole('navigation', { name: 'Workspace' }).getByText('People')).toBeVisible()
  await expect(page.getByRole('button', { name: ADMIN.workspace })).toBeVisible()
  await page.context().storageState({ path: stateFile() })
})
