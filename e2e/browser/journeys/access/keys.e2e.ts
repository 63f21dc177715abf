import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test, withToken } from '../../support/journey'

test('a key is created, works within its scopes, gets other scopes, and is revoked', async ({ page }) => {
  await page.goto('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await dialog.getByLabel('Name').fill('Reporting')
  await expect(dialog.getByRole('button', { name: 'Create key' })).toBeDisabled()
  await dialog.getByRole('radiogroup', { name: 'Object configuration' }).getByLabel('Read', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Create key' }).click()

  const shown = page.getByRole('dialog', { name: 'API key created' })
  const token = (await shown.locator('code').textContent()) ?? ''
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await expect(shown).toBeVisible()
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(token)).toHaveCount(0)
  expect((await withToken(token, '/v2/objects')).status).toBe(200)
  expect((await withToken(token, '/v2/lists')).status).toBe(403)

  const row = page.getByRole('listitem').filter({ hasText: 'Reporting' })
  await page.getByRole('button', { name: 'Actions for Reporting' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit key' })
  await edit.getByRole('button', { name: 'Read all', exact: true }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(row.getByText('Reads everything')).toBeVisible()
  expect((await withToken(token, '/v2/lists')).status).toBe(200)

  await page.getByRole('button', { name: 'Actions for Reporting' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke Reporting?' }).getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('Reporting revoked')).toBeVisible()
  await expect(row).toHaveCount(0)
  expect((await withToken(token, '/v2/objects')).status).toBe(401)

  await page.goto('/settings/audit-log?action=api-key')
  await expect(page.getByRole('row').filter({ hasText: 'revoked the key Reporting' })).toBeVisible()
  const { settings } = await consoleOf(page.request)
  const names = (await settings('GET', '/keys')).body.data.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('Reporting')
})

test('the requests of a key are shown with their results and the members that were ignored', async ({ page }) => {
  const { settings } = await consoleOf(page.request)
  const { token } = (await settings('POST', '/keys', { name: 'Traced', scopes: ['object_configuration:read'] })).body
    .data
  expect((await withToken(token, '/v2/objects/people?limt=1')).status).toBe(200)
  expect((await withToken(token, '/v2/lists')).status).toBe(403)

  await page.goto('/settings/keys')
  await page.getByRole('link', { name: 'Requests' }).click()
  await page.getByLabel('Key or app').selectOption('Traced')
  const rows = page.getByRole('region', { name: 'Requests' }).getByRole('row')
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(1)).toContainText('GET /v2/lists')
  await expect(rows.nth(1)).toContainText('403')
  await expect(rows.nth(1)).toContainText('unauthorized')
  await expect(rows.nth(2)).toContainText('GET /v2/objects/{object}')
  await expect(rows.nth(2)).toContainText('Ignored: ?limt')
  await expectAccessible(page)

  await page.getByLabel('Show').selectOption('With ignored members')
  await expect(rows).toHaveCount(2)
  await expect(page).toHaveURL(/show=ignored/)
  expect((await withToken(token, '/v2/objects/companies?limits=2')).status).toBe(200)
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(1)).toContainText('Ignored: ?limits')
})
