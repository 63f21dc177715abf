import { copyDatabase, freshDatabase, openReader } from '../../../support/service/database'
import { startProcess } from '../../../support/service/start'
import { expectAccessible } from '../../support/accessible'
import { expect, signIn, testSignedOut as test } from '../../support/journey'

const ADMIN = { RELATA_ADMIN_EMAIL: 'ada@example.com', RELATA_ADMIN_PASSWORD: 'notes on the engine' }

test('an admin of a copied database reads that nothing is sent, and declares it a copy', async ({ page }) => {
  const original = await freshDatabase()
  const first = await startProcess({ DATABASE_URL: original.url, ...ADMIN })
  await first.stop()
  const copy = await copyDatabase(original.url)
  const reader = openReader(copy.url)
  await reader`update relata.installation set identity = identity || '{"base_url": "https://crm.example.com"}'`
  const { url, stop } = await startProcess({ DATABASE_URL: copy.url })

  await page.goto(`${url}/sign-in`)
  await signIn(page, ADMIN.RELATA_ADMIN_EMAIL, ADMIN.RELATA_ADMIN_PASSWORD)
  const banner = page.getByRole('region', { name: 'Webhooks and emails on hold' })
  await expect(banner).toContainText('serves https://crm.example.com and was started at a local address.')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectAccessible(page)

  await banner.getByRole('button', { name: 'It was moved…' }).click()
  await expect(page.getByRole('dialog', { name: 'Was this database moved?' })).toContainText('twice')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await banner.getByRole('button', { name: "It's a copy…" }).click()
  const dialog = page.getByRole('dialog', { name: 'Is this database a copy?' })
  await expect(dialog).toContainText('the webhooks of all workspaces become inactive')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Deactivate webhooks' }).click()
  await expect(page.getByText('This copy is an installation of its own')).toBeVisible()
  await expect(banner).toBeHidden()

  await page.goto(`${url}/settings/audit-log`)
  await expect(page.getByText('declared the database a copy')).toBeVisible()
  await reader.end()
  expect(await stop()).toBe(0)
  await copy.drop()
  await original.drop()
})
